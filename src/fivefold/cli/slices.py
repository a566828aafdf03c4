"""`fivefold slices` and `fivefold diff`: where a model errs, and where two models differ."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivefold.cli import cases
from fivefold.cli.console import print_json, results, takes, writable
from fivefold.errors import InputError, show

if TYPE_CHECKING:
    import polars as pl

    from fivefold.inputs.roles import Roles
    from fivefold.slices.significance import Correction as Tests
    from fivefold.slices.slice_set import Slice, SliceSet


HELP_CUT = "Cut points of a column of numbers or dates: age=25,35.5 or date=2025-03-15; others at quantiles."
HELP_PREDICTION = "Column of the model's answers; MODEL=COLUMN renames it."
HELP_SUMMARY = "What to show: causes (of all that was proven), paper (its summary) or none (everything)."
HELP_HTML = "Also write the slices and their rows as one HTML page."
HELP_DEVICE = "Where to count: cpu, cuda (an NVIDIA card), or auto."
_HIDDEN = "--summary causes names those because of which the others deviate."

Predictions = Annotated[
    list[str] | None, typer.Option("--prediction", "-p", metavar="COLUMN", help=HELP_PREDICTION)
]


@dataclass(frozen=True)
class SearchOptions(cases.CaseOptions):
    """The options of every search."""

    cut: Annotated[list[str] | None, typer.Option(metavar="COLUMN=CUTS", help=HELP_CUT)] = None
    max_terms: Annotated[
        int, typer.Option(metavar="NUMBER", help="Largest number of conditions in a slice.", min=1, max=8)
    ] = 3
    alpha: Annotated[float, typer.Option(metavar="SHARE", help="Chance of any false slice at all.")] = 0.05
    min_support_difference: Annotated[
        float, typer.Option(metavar="SHARE", help="Smallest difference in support that matters.")
    ] = 0.02
    correction: Annotated[str, typer.Option(metavar="NAME", help="auto, layered or westfall-young.")] = "auto"
    device: Annotated[str, typer.Option(metavar="NAME", help=HELP_DEVICE)] = "cpu"
    summary: Annotated[str, typer.Option(metavar="NAME", help=HELP_SUMMARY)] = "causes"
    top: Annotated[int, typer.Option(metavar="NUMBER", help="Slices to print.", min=1)] = 10
    sql: Annotated[
        bool, typer.Option("--sql", help="Print a WHERE clause for each slice instead of text.")
    ] = False
    html: Annotated[Path | None, typer.Option(metavar="FILE", help=HELP_HTML, callback=writable)] = None


@takes(SearchOptions, "search")
def slices(
    files: cases.Files,
    prediction: Predictions = None,
    target: cases.Target = None,
    include_target: Annotated[bool, typer.Option(help="Whether slices may name the true class.")] = True,
    *,
    search: SearchOptions,
) -> None:
    """Find the cases on which a model errs more or less than average.

    Searches all combinations of attributes and reports, in plain English, those that chance does not explain.

    Example: fivefold slices cases.csv --target y --prediction model --cut age=25,45
    """
    from fivefold.slices.find import find_errors

    file = cases.open_files(files, search.format, search.metric, search.filter)
    target, prediction = file.target(target), file.predictions(prediction)
    if len(prediction) != 1:
        raise typer.BadParameter(
            "give one model; `fivefold diff` compares two", param_hint="--prediction / -p"
        )
    table = _read(file, target, prediction, search)
    if search.dry_run:
        cases.print_roles(table.roles.columns, search.json)
        return
    ((model, column),) = table.answers.items()
    truth, answers = table.frame[target], table.frame[column]
    options = table.options(search) | {"include_target": include_target, "model": model, "target": target}
    result = find_errors(table.attributes(), truth, answers, **options)
    try:
        _tell(result, table, search)
    finally:  # a page that was asked for is written also where the reader of a pipe, such as `head`, has gone
        _write(search, table, result, (truth, answers), (model,), [truth])


@takes(SearchOptions, "search")
def diff(
    files: cases.Files,
    prediction: Predictions = None,
    target: cases.Target = None,
    include_predictions: Annotated[bool, typer.Option(help="Whether slices may name the answers.")] = False,
    *,
    search: SearchOptions,
) -> None:
    """Find the cases where two models differ more or less than usual.

    With the true class, also tells who is right where they differ.

    Example: fivefold diff cases.csv --prediction a --prediction b --target y
    """
    from fivefold.slices.find import find_differences

    file = cases.open_files(files, search.format, search.metric, search.filter)
    target = file.target(target) if file.runs is not None else target
    prediction = file.predictions(prediction)
    if len(prediction) != 2:
        raise typer.BadParameter(f"give two; got {len(prediction)}", param_hint="--prediction / -p")
    table = _read(file, target, prediction, search)
    if search.dry_run:
        cases.print_roles(table.roles.columns, search.json)
        return
    first, second = table.answers
    answers = table.frame[table.answers[first]], table.frame[table.answers[second]]
    truth = None if target is None else table.frame[target]
    options = table.options(search) | {"include_predictions": include_predictions, "names": (first, second)}
    result = find_differences(table.attributes(), answers[0], answers[1], y_true=truth, **options)
    try:
        _tell(result, table, search)
    finally:
        _write(search, table, result, answers, (first, second), answers)


@dataclass(frozen=True, eq=False)
class _Cases:
    """A file that was read, what its columns are taken for, and what there is to say about it."""

    file: cases.CaseFile
    frame: pl.DataFrame
    answers: Mapping[str, str]
    groups: str | None
    roles: Roles
    searched: Sequence[str]
    read_notes: Sequence[str]

    @property
    def notes(self) -> list[str]:
        """What was noticed, left out or changed, in sentences."""
        return [note for note in (*self.read_notes, self.roles.say_left_out()) if note]

    def attributes(self) -> pl.DataFrame:
        """The columns that describe the cases."""
        if not self.roles.attributes:
            got = f"the columns {show(self.frame.columns)}"
            raise InputError(
                "columns of attributes beside the answers", got, "--dry-run says what each is taken for"
            )
        return self.frame.select(self.searched)

    def options(self, search: SearchOptions) -> dict[str, Any]:
        """How to search, for `find_errors` and `find_differences`."""
        same = "max_terms", "alpha", "min_support_difference", "correction", "device", "hold_back", "summary"
        return {name: getattr(search, name) for name in same} | {
            "bins": _cuts(search.cut or []),
            "keep": self.roles.kept,
            "groups": None if self.groups is None else self.frame[self.groups],
            "random_state": search.seed,
            "n_jobs": -1,
            "progress": False if search.quiet else None,
        }


def _read(
    file: cases.CaseFile, target: str | None, prediction: Sequence[str], search: SearchOptions
) -> _Cases:
    import narwhals as nw

    from fivefold.evaluation.slices_view import judge_features
    from fivefold.inputs.predictions import repeat_rows
    from fivefold.inputs.roles import infer_roles

    rules = cases.answer_rules(search)
    groups, classes = search.groups or file.groups, search.class_ or []
    single = [name for name in (target, groups) if name is not None]
    notes: list[str] = []
    frame = cases.read_cases(file, [*single, *prediction], search.nominal or [], search.missing or [], notes)
    repeated, _, counted = repeat_rows(nw.from_native(frame, eager_only=True), search.weight)
    frame, notes = repeated.to_native(), [*notes, *counted]
    answers = cases.split_names(prediction, frame.columns, "--prediction")
    cases.check_names([*single, *answers.values()], frame.columns, file)
    frame = cases.clean_columns(frame, target, answers, classes, rules, notes)
    how: dict[str, Any] = {"groups": groups, "weight": search.weight, "classes": classes}
    how |= {"drop": search.drop or [], "keep": search.keep or []}
    roles = infer_roles(frame, target=target, answers=answers, **how)
    if not roles.attributes:
        return _Cases(file, frame, answers, groups, roles, [], notes)
    judged = judge_features(frame.select(roles.attributes), roles.kept)
    if judged.problem:
        raise InputError("columns that can stand in a slice", judged.problem, "--keep takes one as it is")
    # what the search leaves out it says by itself, and may take it for groups
    searched = list(roles.attributes)
    roles = roles.leave_out(judged.left_out).read_as(judged.read_as)
    return _Cases(file, frame, answers, groups, roles, searched, notes)


def _cuts(given: Sequence[str]) -> Mapping[str, list[float] | list[str]] | None:
    cuts: dict[str, list[float] | list[str]] = {}
    for text in given:
        name, separator, points = text.rpartition("=")
        texts = [point.strip() for point in points.split(",")]
        if not separator or not all(point[:1].isdigit() or point[:1] in set("+-.") for point in texts):
            hint = "for example --cut age=25,45, or --cut date=2025-03-15"
            raise InputError("--cut COLUMN=CUT,CUT,… with numbers or dates", show(text), hint)
        try:
            cuts[name] = [float(point) for point in texts]
        except ValueError:  # what is no number may be a date, which the column knows
            cuts[name] = texts
    return cuts or None


def _tell(slices: SliceSet, table: _Cases, search: SearchOptions) -> None:
    if search.json:
        columns = [asdict(column) for column in table.roles.columns]
        beside = {"source": table.file.name, "columns": columns, "notes": table.notes}
        print_json(beside | slices.to_dict())
    elif search.sql:
        sys.stdout.writelines(f"{condition}\n" for condition in slices.to_sql())
    else:
        _print(slices, search, table.notes)
    if not search.quiet and (search.json or search.sql):
        cases.tell(table.notes)


def _print(slices: SliceSet, search: SearchOptions, notes: Sequence[str]) -> None:
    """Print what was found, and after it how it was found and what was made of the columns."""
    from rich.text import Text

    from fivefold.report.terminal import wrap

    console, top = results(), search.top

    def say(*sentences: str) -> None:
        for sentence in filter(None, sentences):
            console.print(Text(wrap(sentence, console.width)))

    say(slices.found, _HIDDEN if slices.n_proven and not slices else "", slices.note)
    if slices:
        console.print()
        _print_table(slices, top, search.hold_back > 0)
    for place, part in enumerate(slices[: min(top, 3)]):
        others = slices.explained_by(place, most=3)
        named = "; ".join(f"{other.conditions} ({100 * other.difference:+.1f})" for other in others)
        more = f"; and {part.n_explained - len(others):,} more" if part.n_explained > len(others) else ""
        console.print()
        say(part.sentence, f"Also because of it: {named}{more}." if others else "")
    console.print()
    # the notes say of all columns what was left out
    say(f"{slices.tests}.", *replace(slices, left_out={}).about_columns(), *notes)


def _print_table(slices: SliceSet, top: int, held: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from fivefold.report.terminal import wrap

    console, table = results(), Table(box=None, pad_edge=False)
    again = "held\nback" if held else "to\nexpect"
    headings = ["points", again, "beyond\naverage", "cases", "p"]
    expected = "held back: on cases not searched" if held else "to expect: on new cases"
    legend = f"points: difference from average; {expected}; beyond average: the same in cases"
    if slices.proven is not None and slices.proven.explain is not None:
        headings.append("explains")
        legend += "; explains: how many others deviate because of it"
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("where", overflow="fold")
    for part in slices[:top]:
        table.add_row(*_row(part, slices.tests, held)[: len(headings)], Text(part.conditions))
    console.print(table)
    console.print(Text(wrap(legend, console.width)))
    if len(slices) > top:
        console.print(f"… and {len(slices) - top} more; --top shows more, --json all.")
    if not held:
        console.print("--hold-back 0.5 measures them on cases that the search has not seen.")


def _row(part: Slice, tests: Tests, held: bool) -> tuple[str, ...]:
    """Write the numbers of a slice; of one in which no case held back lies, nothing was measured again."""
    again = getattr(part.held_back, "difference", None) if held else part.shrunk
    p_value = tests.say_p(part.adjusted_p_value).removeprefix("p ").removeprefix("= ").replace(" ", "")
    points = ("–" if number is None else f"{100 * number:+.1f}" for number in (part.difference, again))
    return *points, f"{part.effect_size:+,.0f}", f"{part.n:,}", p_value, f"{part.n_explained:,}"


def _write(
    search: SearchOptions,
    table: _Cases,
    slices: SliceSet,
    labels: tuple[pl.Series, pl.Series],
    models: tuple[str, ...],
    named: Sequence[pl.Series],
) -> None:
    """Write the slices of models as a page, if one is asked for; `named` are columns that may stand in a slice."""
    if search.html is None:
        return
    from fivefold.evaluation.slices_view import view_slices
    from fivefold.inputs.columns import read_columns
    from fivefold.report.page import render_slices
    from fivefold.results import write_text

    extra = [column for series in named for column in read_columns(series.to_frame())]
    view = view_slices(slices, table.attributes(), *labels, models, extra)
    write_text(search.html, render_slices(view, source=table.file.name))
    if not search.quiet:
        typer.echo(f"wrote {search.html}", err=True)
