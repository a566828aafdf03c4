"""`fivefold learn`: train a learner on all cases and print what it learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivefold.cli.cases import Files, Format, Missing, Nominal, complete_learners, open_files
from fivefold.cli.console import Quiet, print_json
from fivefold.progress import part, shown

if TYPE_CHECKING:
    from fivefold.data.table import Table


def learn(
    files: Files,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME",
            help="Learner; `fivefold learners` lists them.",
            autocompletion=complete_learners,
        ),
    ] = "c45",
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", metavar="COLUMN", help="Column of the true class; data sets know theirs."
        ),
    ] = None,
    nominal: Nominal = None,
    missing: Missing = None,
    format: Format = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")] = False,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of the cross-validation.", min=0)] = 0,
    quiet: Quiet = False,
) -> None:
    """Train a learner on all cases and print its tree, rules or evidence, with its figures.

    In a tree, (253.4/3.7) after a class are the cases that came there, and how many of them were of other classes.

    Example: fivefold learn votes -m c45

    Example: fivefold learn cases.csv --target y -m 1r --json
    """
    from fivefold.data.files import read
    from fivefold.learners.by_name import LEARNERS, learner_name

    file = open_files(files, format, None, None)
    name = learner_name(model)
    with shown(False if quiet else None):
        with part(f"reading {file.name}"):
            kinds: Any = dict.fromkeys(nominal or [], "nominal")
            table = read(
                file.names,
                target=file.target(target),
                kinds=kinds,
                missing=("", *(missing or [])),
                format=format,
            )
        facts = _learn(name, table, seed)
    facts = {
        "source": file.name,
        "target": table.target,
        "model": name,
        "title": LEARNERS[name].title,
    } | facts
    if json:
        print_json(facts)
    else:
        typer.echo(_say(facts))


def _learn(name: str, table: Table, seed: int) -> dict[str, Any]:
    from fivefold.bits import theory_length
    from fivefold.learners.by_name import make_learner
    from fivefold.truth import estimate_error

    with part(f"training {name}"):
        fitted = make_learner(name).fit(table.X, table.y)
    with part("cross-validation"):
        estimate = estimate_error(make_learner(name), table.X, table.y, method="cv", random_state=seed)
    counts = {label: int((table.y == label).sum()) for label in table.classes}
    rules = fitted.rules() if hasattr(fitted, "rules") else None
    return {
        "text": fitted.to_text(),
        "rules": None if rules is None else [str(rule) for rule in rules],
        "n_cases": len(table),
        "class_counts": {str(label): n for label, n in counts.items()},
        "n_right": int((fitted.predict(table.X) == table.y).sum()),
        "cross_validated_error": float(estimate.value),
        "theory_bits": theory_length(fitted, table.X),
    }


def _say(facts: dict[str, Any]) -> str:
    from textwrap import fill

    n = facts["n_cases"]
    most, most_of = max(facts["class_counts"].items(), key=lambda pair: pair[1])
    figures = [
        f"Right on {facts['n_right']:,} of the {n:,} cases it learned from ({facts['n_right'] / n:.1%}); "
        f"always {most!r} would be on {most_of / n:.1%}.",
        f"Wrong on {facts['cross_validated_error']:.1%} of new cases, by 10-fold cross-validation; "
        "`fivefold report` with the same words tells how far to trust that.",
    ]
    if facts["theory_bits"] is not None:
        figures.append(f"To tell what it learned takes {facts['theory_bits']:,.0f} bits.")
    lines = [
        f"{facts['model']}: {facts['title']}",
        f"{facts['source']}: {n:,} cases, {len(facts['class_counts'])} classes of {facts['target']}",
        "",
        facts["text"].rstrip(),
        "",
        *(fill(line, 80, break_on_hyphens=False) for line in figures),
    ]
    return "\n".join(lines)
