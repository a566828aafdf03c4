"""Files whose every name and value tries to steer the terminal, and the commands that read them."""

import json
import os
import sqlite3
import sys
from pathlib import Path

ATTACKS = (
    "\x1b]52;c;aGk\x07",
    "\x1b[2J",
    "\x9b31;99m",
    "\u202edlo",
    "\x1bP1$q\x9c",
    "\x7f\x08",
    "\u2066x",
    "\r!",
)
TARGET, FIRST, SECOND, COLUMN = (f"{name}{''.join(ATTACKS)}" for name in "yabx")


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def write_files(folder):
    """Write a table, a file of relations, a plan with a failing learner, and its results."""
    classes = [f"c{attack}" for attack in ATTACKS[:2]]
    rows = [[TARGET, FIRST, SECOND, COLUMN, "n"]]
    for i in range(120):
        truth = classes[i % 2]
        rows.append(
            [
                truth,
                truth if i % 3 else classes[0],
                classes[1],
                f"v{ATTACKS[2 + i % 3]}",
                str(i % 7),
            ]
        )
    text = "\n".join(",".join(map(quoted, row)) for row in rows)
    (folder / "t.csv").write_text(text + "\n", encoding="utf-8", newline="")
    head = f"@relation r\n@attribute '{TARGET}' {{a,b}}\n@attribute '{COLUMN}' numeric\n@data\n"
    (folder / "t.arff").write_text(
        f"{head}a,1\nz{ATTACKS[0]},2\n",
        encoding="utf-8",
        newline="",
    )
    bad = ATTACKS[0].replace("\x07", "")
    (folder / "r.d").write_text(
        f"X: a{bad}, b, c.\n\n*e(X,X)\na{bad},b\nb,c\n.\np(X,X)\na{bad},c\n.\n", encoding="utf-8"
    )
    logs = [
        {"doc_id": i, "doc": {COLUMN: f"v{ATTACKS[i % 3]}"}, "target": classes[i % 2], "acc": i % 3 > 0}
        | {"filtered_resps": [classes[i % 2] if i % 3 else classes[1 - i % 2]]}
        for i in range(60)
    ]
    lines = "\n".join(map(json.dumps, logs))
    (folder / f"samples_{ATTACKS[1].replace('/', '')}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "broken.d").write_text(f"X: a{ATTACKS[1]}\n*e(", encoding="utf-8")
    (folder / "hostile_learner.py").write_text(LEARNER, encoding="utf-8")
    label = toml("".join(ATTACKS))
    (folder / "p.toml").write_text(
        f'name = {label}\nviews = ["accuracy"]\nsplits = {{ n_repeats = 2 }}\n'
        f'[data]\nLA = {{}}\n[estimators]\n{label} = {{ learner = "1r" }}\n'
        f'bad = {{ class = "hostile_learner.Bad" }}\n',
        encoding="utf-8",
    )
    (folder / "q.toml").write_text(f"data = [{label}]\nestimators = [{label}]\n", encoding="utf-8")
    (folder / "not.toml").write_bytes(ATTACKS[0].encode())


def toml(text):
    return '"' + "".join(f"\\u{ord(letter):04x}" for letter in text) + '"'


LEARNER = f"""
from sklearn.naive_bayes import GaussianNB


class Bad(GaussianNB):
    def fit(self, X, y):
        raise ValueError({"".join(ATTACKS)!r})
"""

ROLES = ["-t", TARGET, "-p", FIRST]
COMMANDS = [
    ["report", "t.csv", *ROLES, "-p", SECOND],
    ["report", "t.csv", *ROLES, "-p", SECOND, "--details", "--html", "page\x1b.html"],
    ["report", "t.csv", *ROLES, "--json"],
    ["report", "t.csv", "-t", TARGET, "-m", "1r", "--drop", FIRST],
    ["report", "t.csv", "-t", "absent", "-p", FIRST],
    ["report", "t.csv", "-t", COLUMN, "-p", FIRST],
    ["report", "t.arff", "-t", TARGET, "-m", "1r"],
    ["report", f"no{ATTACKS[0]}.csv", *ROLES],
    ["report", "t.csv", *ROLES, f"--{ATTACKS[0]}"],
    ["report", "t.csv", *ROLES, "--seed", ATTACKS[0]],
    ["report", "t.csv", *ROLES, "--probability", f"m={ATTACKS[1]}"],
    ["slices", "t.csv", *ROLES],
    ["slices", "t.csv", *ROLES, "--sql"],
    ["slices", "t.csv", *ROLES, "--json"],
    ["slices", "t.csv", *ROLES, "--cut", f"{ATTACKS[0]}=x"],
    ["slices", "t.csv", "-t", "absent", "-p", FIRST],
    ["diff", "t.csv", "-p", FIRST, "-p", SECOND, "-t", TARGET, "--html", "diff.html"],
    ["diff", "t.csv", "-p", FIRST, "-p", SECOND, "--sql"],
    ["diff", "t.csv", "-p", FIRST, "-p", "absent"],
    ["foil", "r.d"],
    ["foil", "r.d", "--json"],
    ["foil", "r.d", "--target", ATTACKS[0]],
    ["foil", "broken.d"],
    ["study", "run", "p.toml", "--engine", "serial"],
    ["study", "run", "q.toml"],
    ["study", "run", "not.toml"],
    ["study", "status", "p.toml", "--errors"],
    ["study", "status", "p.toml", "--json"],
    ["study", "show", "p.study"],
    ["study", "show", "p.study", "--json"],
    ["study", "show", "p.study", "--view", ATTACKS[0]],
    ["study", "show", "p.study", "--number", ATTACKS[0]],
    ["study", "show", "p.study", "--study", "absent"],
    ["study", "check", "p.study"],
    ["study", "export", "p.study", f"out{ATTACKS[1]}.csv"],
    ["study", "export", "p.study", f"out.{ATTACKS[1]}"],
    ["data", "list"],
    ["data", "show", "LA"],
    ["data", "show", ATTACKS[0]],
    ["papers", "list"],
    ["papers", "show", ATTACKS[0]],
    ["papers", "run", ATTACKS[0]],
    ["learners"],
    ["learn", "t.csv", "-t", TARGET, "-m", "1r"],
    ["learn", "t.csv", "-t", TARGET, "-m", "nb", "--json"],
    ["learn", "t.csv", "-t", TARGET, "-m", ATTACKS[0]],
    ["learn", ATTACKS[1]],
    ["data", "export", "LA", "la.jsonl"],
    ["data", "export", "LA", f"la.{ATTACKS[1]}"],
    ["report", "--format", "lm-eval", "samples_*.jsonl"],
    ["report", "--format", "lm-eval", "samples_*.jsonl", "--metric", ATTACKS[0]],
    ["report", "--format", "inspect", "samples_*.jsonl"],
    ["slices", "samples_*.jsonl", "-t", ATTACKS[0], "-p", "x"],
    [ATTACKS[0]],
]


MARK = "@next pass"
N_SUCCEED = 24
N_PAGES = sum("--html" in words for words in COMMANDS)


def run_all(folder, passes):
    """Run every command in this one process, on its own standard streams, once for each encoding or terminal."""
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    write_files(Path(folder))
    for name in passes:
        if name in ("dumb", "xterm-256color"):
            os.environ["TERM"] = name
        else:
            sys.stdout.reconfigure(encoding=name)
            sys.stderr.reconfigure(encoding=name, errors="strict")
        for words in COMMANDS:
            if name == passes[0] or "--html" not in words:  # pages are files, and take seconds
                run_one(words)
        sys.stdout.write(f"{MARK}\n")
        sys.stderr.write(f"{MARK}\n")


def run_one(words):
    from fivefold.cli import main

    sys.argv = ["fivefold", *words]
    try:
        main.run()
        code = 0
    except SystemExit as stop:
        code = stop.code or 0
    sys.stdout.write(f"@{code}\n")
    sys.stdout.flush()
    if words[:3] == ["study", "run", "p.toml"]:
        _poison(Path("p.study"))


def _poison(path):
    """Put attacks where no command would: into the stored error and its traceback."""
    connection = sqlite3.connect(path)
    connection.execute("UPDATE results SET error = error || ?", (ATTACKS[0],))
    connection.commit()
    connection.close()


if __name__ == "__main__":
    run_all(sys.argv[1], sys.argv[2:])
