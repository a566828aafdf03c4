"""`fivefold learn`: train a learner on all cases and print what it learned."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivefold.cli import cases
from fivefold.cli.console import Json, Quiet, print_json
from fivefold.errors import InputError
from fivefold.progress import part, shown

if TYPE_CHECKING:
    from fivefold.data.table import Table

SPLITS = 10
HELP_MODEL = "Learner; `fivefold learners` lists them."


def learn(
    files: cases.Files,
    model: Annotated[
        str,
        typer.Option(
            "--model", "-m", metavar="NAME", help=HELP_MODEL, autocompletion=cases.complete_learners
        ),
    ] = "c45",
    target: cases.Target = None,
    nominal: cases.Nominal = None,
    missing: cases.Missing = None,
    drop: cases.Drop = None,
    format: cases.Format = None,
    json: Json = False,
    seed: cases.Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Train a learner on all cases and print what it learned.

    Prints its tree, rules or evidence, with its figures. In a tree, (253.4/3.7) after a class are the cases that
    reach it, and how many of them are of other classes. The interval is for the error of what is printed, on new
    cases like these, by nested cross-validation.

    Example: fivefold learn votes -m c45

    Example: fivefold learn cases.csv --target y -m 1r --json
    """
    from fivefold.inputs.roles import infer_roles
    from fivefold.learners.by_name import LEARNERS, learner_name

    file = cases.open_files(files, format, None, None)
    name = learner_name(model)
    with shown(False if quiet else None):
        table = cases.read_table(file, file.target(target), nominal or [], missing or [])
        table = table.without(infer_roles(table.X, drop=drop or []).dropped_from_learning())
        learned = _learn(name, table, seed)
    title = LEARNERS[name].title
    facts = {"source": file.name, "target": table.target, "model": name, "title": title, **learned}
    if json:
        print_json(facts)
    else:
        typer.echo(_say(facts))


def _learn(name: str, table: Table, seed: int) -> dict[str, Any]:
    from fivefold.bits import theory_length
    from fivefold.learners.by_name import make_learner

    with part(f"training {name}"):
        fitted = make_learner(name).fit(table.X, table.y)
    counts = {label: int((table.y == label).sum()) for label in table.classes}
    rules = fitted.rules() if hasattr(fitted, "rules") else None
    return {
        "text": fitted.to_text(),
        "rules": None if rules is None else [str(rule) for rule in rules],
        "n_cases": len(table),
        "class_counts": {str(label): n for label, n in counts.items()},
        "n_right": int((fitted.predict(table.X) == table.y).sum()),
        **_estimate(name, table, seed),
        "theory_bits": theory_length(fitted, table.X),
    }


def _estimate(name: str, table: Table, seed: int) -> dict[str, Any]:
    """Estimate the error on new cases, with its interval where the fits for that take half a minute at most."""
    from fivefold.evaluation.truth_view import BUDGET, DEALS, FOLDS, NESTED_FITS, too_long
    from fivefold.learners.by_name import make_learner
    from fivefold.truth import estimate_error

    options: dict[str, Any] = {"method": "cv", "n_splits": SPLITS, "random_state": seed}
    start, plain, limits = perf_counter(), None, None
    try:
        if len(table) < SPLITS:
            raise InputError(f"at least {SPLITS} cases", f"{len(table)}")
        with part("cross-validation"):
            plain = estimate_error(make_learner(name), table.X, table.y, **options)
        fit = (perf_counter() - start) / plain.n_fits
        why_not = too_long(NESTED_FITS, "nested cross-validation", fit, BUDGET)
        if not why_not:
            options |= {"n_splits": FOLDS, "interval": "nested-cv", "nested_repeats": DEALS}
            with part("nested cross-validation"):
                limits = estimate_error(make_learner(name), table.X, table.y, **options).interval
    except InputError as problem:  # too few cases to leave some out: what was learned is shown all the same
        why_not = f"cross-validation needs {problem.expected}, but got {problem.got}"
    value = float(plain.value) if plain else None
    return {
        "cross_validated_error": value,
        "error": float(limits.estimate) if limits else value,
        "error_interval": [limits.low, limits.high] if limits else None,
        "error_interval_of": limits.reason if limits else None,
        "no_interval_because": why_not or None,
    }


def _say_error(facts: dict[str, Any]) -> str:
    if facts["error"] is None:
        return f"How often it will be wrong on new cases is not known: {facts['no_interval_because']}."
    if facts["error_interval"] is None:
        return (
            f"Wrong on {facts['error']:.1%} of new cases, by {SPLITS}-fold cross-validation; no interval, because "
            f"{facts['no_interval_because']}."
        )
    low, high = facts["error_interval"]
    # of many cases without an error, one digit would hide that the error may be more than 0
    digits = next((digits for digits in range(1, 9) if f"{low:.{digits}%}" != f"{high:.{digits}%}"), 1)
    return (
        f"Wrong on about {facts['error']:.{digits}%} of new cases like these (95% interval {low:.{digits}%} to "
        f"{high:.{digits}%} for what is printed above, by nested cross-validation). `fivefold report` with the "
        "same options tells more."
    )


def _say(facts: dict[str, Any]) -> str:
    from textwrap import fill

    n = facts["n_cases"]
    most, most_of = max(facts["class_counts"].items(), key=lambda pair: pair[1])
    figures = [
        f"Right on {facts['n_right']:,} of the {n:,} cases it learned from ({facts['n_right'] / n:.1%}); "
        f"always answering {most!r} would be right on {most_of / n:.1%}.",
        _say_error(facts),
    ]
    if facts["theory_bits"] is not None:
        figures.append(f"Describing what it learned takes {facts['theory_bits']:,.0f} bits.")
    lines = [
        f"{facts['model']}: {facts['title']}",
        f"{facts['source']}: {n:,} cases, {len(facts['class_counts'])} classes of {facts['target']}",
        "",
        facts["text"].rstrip(),
        "",
        *(fill(line, 80, break_on_hyphens=False) for line in figures),
    ]
    return "\n".join(lines)
