"""Run a study of draws in a process of its own: STORE ENGINE WORKERS JOBS [SIZE]."""

import sys

from fivefold.study import StoreError, Study


def main(store, engine, workers, jobs, size=3):
    from study_tasks import draws

    study = Study("draws", draws(int(jobs), size=int(size)), store)
    try:
        sys.stdout.write(f"{study.run(engine=engine, n_jobs=int(workers))}\n")
    except KeyboardInterrupt:
        return 130
    except StoreError as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
