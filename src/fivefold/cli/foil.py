"""`fivefold foil`: definitions of relations from their tuples."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivefold.cli.console import Json, print_json
from fivefold.learners.relational_foil.clauses import Clause, Definition, Variable, write_atom
from fivefold.plain_text import counted

if TYPE_CHECKING:
    from fivefold.learners.relational_foil.estimator import RelationalFoil
    from fivefold.learners.relational_foil.relations import Tuple


WIDTH = 80
SHOWN = 10

Input = Annotated[
    Path, typer.Argument(metavar="FILE.d", help="Types and relations in the format of Quinlan's FOIL.")
]
Target = Annotated[
    str | None,
    typer.Option(metavar="RELATION", help="The relation to define; else all whose header has no *."),
]
Negation = Annotated[
    str, typer.Option(metavar="WHICH", help="Negate all, comparisons (only = and >) or none.")
]
Accuracy = Annotated[float, typer.Option(metavar="SHARE", help="Lowest accuracy of a clause, from 0 to 1.")]
Sample = Annotated[float, typer.Option(metavar="SHARE", help="Share of a closed world's negatives to use.")]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Seed of the sample.", min=0)]


def foil(
    file: Input,
    target: Target = None,
    negation: Negation = "all",
    min_accuracy: Accuracy = 0.8,
    sample: Sample = 1.0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Learn definitions of relations, in Datalog, as FOIL does.

    A relation is given as the tuples for which it holds. Comments after a definition say what it gets wrong about
    them, and about the tests at the end of the file; tests are answered by the clauses.

    Example: fivefold foil member.d --negation none
    """
    from fivefold.data.locations import Location
    from fivefold.learners.relational_foil.estimator import RelationalFoil
    from fivefold.learners.relational_foil.relations import Relations

    words: dict[str, bool | str] = {"all": True, "none": False}
    learner = RelationalFoil(
        negation=words.get(negation, negation), min_accuracy=min_accuracy, sample=sample, random_state=seed
    )
    model = learner.fit(Relations.read(file), target)
    descriptions = [
        _describe(definition) | {"tests": _test(model, name)}
        for name, definition in model.definitions_.items()
    ]
    if json:
        print_json({"source": Location(str(file)).name, "definitions": descriptions})
    else:
        sys.stdout.write("\n".join(map(_lines, descriptions, model.definitions_.values())))


def _describe(definition: Definition) -> dict[str, Any]:
    return {
        "relation": definition.relation,
        "types": list(definition.types),
        "clauses": [_clause(clause) for clause in definition.clauses],
        "uncovered": definition.n_uncovered,
        "wrong": definition.n_wrong,
    }


def _clause(clause: Clause) -> dict[str, Any]:
    return {
        "text": str(clause),
        "head": _arguments(clause.head),
        "body": [
            {
                "predicate": condition.predicate,
                "arguments": _arguments(condition.arguments),
                "negated": condition.negated,
            }
            for condition in clause.body
        ],
        "recursive": clause.recursive,
    }


def _arguments(arguments: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [
        {"variable": argument.name} if isinstance(argument, Variable) else {"constant": argument}
        for argument in arguments
    ]


def _test(model: RelationalFoil, name: str) -> dict[str, Any] | None:
    """Ask the tests of a file; None if it has none for the relation."""
    examples = [examples for examples in model.task_.tests if examples.relation == name]
    if not examples:
        return None
    rows = [row for group in examples for row in group.tuples]
    expected = [answer for group in examples for answer in group.answers]
    answers = model.predict(rows, name).tolist()
    wrong = [_plain(row) for row, *both in zip(rows, expected, answers, strict=True) if both[0] != both[1]]
    return {"n": len(rows), "errors": len(wrong), "wrong": wrong}


def _plain(row: Tuple) -> list[Any]:
    """Write a tuple for programs: a missing value is null, one outside the closed world ``^``."""
    from fivefold.learners.relational_foil.relations import OUTSIDE

    return ["^" if value is OUTSIDE else value for value in row]


def _lines(description: dict[str, Any], definition: Definition) -> str:
    lines = [line for clause in definition.clauses for line in _broken(clause)]
    lines = lines or [f"% no definition of {definition.relation}"]
    if definition.n_uncovered:
        lines.append(f"% does not cover {counted(definition.n_uncovered, 'tuple')} of the relation")
    if definition.n_wrong:
        lines.append(f"% covers {counted(definition.n_wrong, 'tuple')} not of the relation")
    if description["tests"]:
        wrong = [",".join("?" if v is None else str(v) for v in row) for row in description["tests"]["wrong"]]
        lines.append(f"% {len(wrong)} wrong of {counted(description['tests']['n'], 'test')}")
        lines += [f"%   wrong about {row}" for row in wrong[:SHOWN]]
        if len(wrong) > SHOWN:
            lines.append(f"%   and {len(wrong) - SHOWN} more; --json lists all")
    return "\n".join(lines) + "\n"


def _broken(clause: Clause) -> list[str]:
    """Break a clause between conditions where it does not fit on a line."""
    if len(str(clause)) <= WIDTH:
        return [str(clause)]
    lines = [f"{write_atom(clause.relation, clause.head)} :-"]
    for place, condition in enumerate(clause.body, 1):
        piece = f"{condition}{',' if place < len(clause.body) else '.'}"
        if place > 1 and len(lines[-1]) + 1 + len(piece) <= WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(f"    {piece}")
    return lines
