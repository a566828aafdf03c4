"""`fivefold slices` and `fivefold diff`: where a model errs, and where two models differ."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivefold.cli.cases import (
    CaseFile,
    Classes,
    Drop,
    DryRun,
    Files,
    Filter,
    Format,
    Groups,
    Keep,
    Map,
    Metric,
    Missing,
    Nominal,
    Normalise,
    UnknownAnswers,
    Weight,
    answer_rules,
    check_names,
    clean_columns,
    open_files,
    print_roles,
    read_cases,
    split_names,
    tell,
)
from fivefold.cli.console import Quiet, print_json, results
from fivefold.errors import InputError, show

if TYPE_CHECKING:
    import polars as pl

    from fivefold.inputs.answers import AnswerRules
    from fivefold.inputs.roles import Roles
    from fivefold.slices.slice_set import Correction as Tests
    from fivefold.slices.slice_set import Slice, SliceSet


HELP_CUT = (
    "Cut points of a column of numbers or dates, as age=25,35.5 or date=2025-03-15; others at quantiles."
)
HELP_PREDICTION = "Column of the model's answers; MODEL=COLUMN renames it."
HELP_HOLD_BACK = (
    "Share of the cases, say 0.5, that the search does not see and the slices are measured on again."
)
HELP_SUMMARY = (
    "What to show: the causes of all that was proven, the summary of the paper, or none (everything)."
)

Predictions = Annotated[
    list[str] | None, typer.Option("--prediction", "-p", metavar="COLUMN", help=HELP_PREDICTION)
]
Cut = Annotated[list[str] | None, typer.Option(metavar="COLUMN=CUTS", help=HELP_CUT)]
Terms = Annotated[int, typer.Option(metavar="NUMBER", help="Most conditions in a slice.", min=1, max=8)]
Alpha = Annotated[float, typer.Option(metavar="SHARE", help="Chance of any false slice at all.")]
Least = Annotated[float, typer.Option(metavar="SHARE", help="Least difference of support that matters.")]
Correction = Annotated[str, typer.Option(metavar="NAME", help="auto, layered or westfall-young.")]
Device = Annotated[
    str, typer.Option(metavar="NAME", help="Where to count: cpu, cuda (an NVIDIA card), or auto.")
]
HoldBack = Annotated[float, typer.Option(metavar="SHARE", help=HELP_HOLD_BACK)]
Summary = Annotated[str, typer.Option(metavar="NAME", help=HELP_SUMMARY)]
Top = Annotated[int, typer.Option(metavar="NUMBER", help="Slices to print.", min=1)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")]
Sql = Annotated[bool, typer.Option("--sql", help="Print a WHERE clause for each slice instead of text.")]
Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write the slices and their rows as one HTML page.")
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Seed of everything random.", min=0)]


def slices(
    files: Files,
    prediction: Predictions = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COLUMN", help="Column of the true class.")
    ] = None,
    include_target: Annotated[bool, typer.Option(help="Whether the true class may stand in a slice.")] = True,
    class_: Classes = None,
    unknown_answers: UnknownAnswers = "error",
    normalise: Normalise = False,
    map_: Map = None,
    drop: Drop = None,
    keep: Keep = None,
    nominal: Nominal = None,
    missing: Missing = None,
    cut: Cut = None,
    groups: Groups = None,
    weight: Weight = None,
    format: Format = None,
    metric: Metric = None,
    filter: Filter = None,
    max_terms: Terms = 3,
    alpha: Alpha = 0.05,
    min_support_difference: Least = 0.02,
    correction: Correction = "auto",
    device: Device = "cpu",
    hold_back: HoldBack = 0.0,
    summary: Summary = "causes",
    top: Top = 10,
    json: Json = False,
    sql: Sql = False,
    html: Html = None,
    dry_run: DryRun = False,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Find the cases on which a model is more or less accurate than average.

    Looks at all combinations of attributes and tells those that chance does not explain, in plain English.

    Example: fivefold slices cases.csv --target y --prediction model --cut age=25,45
    """
    from fivefold.slices.find import find_errors

    file = open_files(files, format, metric, filter)
    target, prediction = file.target(target), file.predictions(prediction)
    groups = groups or file.groups
    if len(prediction) != 1:
        raise typer.BadParameter(
            "give one model; `fivefold diff` compares two", param_hint="--prediction / -p"
        )
    rules = answer_rules(unknown_answers, normalise, map_ or [])
    names = _Columns(target, prediction, groups, nominal or [], drop or [], keep or [], class_ or [], weight)
    cases = _read(file, names, missing or [], rules)
    if dry_run:
        print_roles(cases.roles.columns, json)
        return
    frame = cases.frame
    ((model, column),) = cases.answers.items()
    result = find_errors(
        cases.attributes(),
        frame[target],
        frame[column],
        include_target=include_target,
        model=model,
        target=target,
        bins=_cuts(cut or []),
        keep=cases.roles.kept,
        max_terms=max_terms,
        alpha=alpha,
        min_support_difference=min_support_difference,
        correction=correction,
        device=device,
        groups=None if groups is None else frame[groups],
        hold_back=hold_back,
        summary=summary,
        random_state=seed,
        n_jobs=-1,
        progress=False if quiet else None,
    )
    _tell(result, cases, top, json=json, sql=sql, quiet=quiet)
    _write(html, cases, result, (frame[target], frame[column]), (model,), [frame[target]], quiet)


def diff(
    files: Files,
    prediction: Predictions = None,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", metavar="COLUMN", help="Column of the true class, if known."),
    ] = None,
    include_predictions: Annotated[
        bool, typer.Option(help="Whether the answers may stand in a slice.")
    ] = False,
    class_: Classes = None,
    unknown_answers: UnknownAnswers = "error",
    normalise: Normalise = False,
    map_: Map = None,
    drop: Drop = None,
    keep: Keep = None,
    nominal: Nominal = None,
    missing: Missing = None,
    cut: Cut = None,
    groups: Groups = None,
    weight: Weight = None,
    format: Format = None,
    metric: Metric = None,
    filter: Filter = None,
    max_terms: Terms = 3,
    alpha: Alpha = 0.05,
    min_support_difference: Least = 0.02,
    correction: Correction = "auto",
    device: Device = "cpu",
    hold_back: HoldBack = 0.0,
    summary: Summary = "causes",
    top: Top = 10,
    json: Json = False,
    sql: Sql = False,
    html: Html = None,
    dry_run: DryRun = False,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Find the cases on which two models agree more or less often than average.

    With the true class, also tells who is right where they differ.

    Example: fivefold diff cases.csv --prediction a --prediction b --target y
    """
    from fivefold.slices.find import find_differences

    file = open_files(files, format, metric, filter)
    target = file.target(target) if file.runs is not None else target
    prediction, groups = file.predictions(prediction), groups or file.groups
    if len(prediction) != 2:
        raise typer.BadParameter(f"give two; got {len(prediction)}", param_hint="--prediction / -p")
    rules = answer_rules(unknown_answers, normalise, map_ or [])
    names = _Columns(target, prediction, groups, nominal or [], drop or [], keep or [], class_ or [], weight)
    cases = _read(file, names, missing or [], rules)
    if dry_run:
        print_roles(cases.roles.columns, json)
        return
    frame = cases.frame
    (first, column_a), (second, column_b) = cases.answers.items()
    result = find_differences(
        cases.attributes(),
        frame[column_a],
        frame[column_b],
        y_true=None if target is None else frame[target],
        include_predictions=include_predictions,
        names=(first, second),
        bins=_cuts(cut or []),
        keep=cases.roles.kept,
        max_terms=max_terms,
        alpha=alpha,
        min_support_difference=min_support_difference,
        correction=correction,
        device=device,
        groups=None if groups is None else frame[groups],
        hold_back=hold_back,
        summary=summary,
        random_state=seed,
        n_jobs=-1,
        progress=False if quiet else None,
    )
    _tell(result, cases, top, json=json, sql=sql, quiet=quiet)
    answers = frame[column_a], frame[column_b]
    _write(html, cases, result, answers, (first, second), answers, quiet)


@dataclass(frozen=True, eq=False)
class _Cases:
    """A file that was read, what its columns are taken for, and what there is to say about it."""

    file: CaseFile
    frame: pl.DataFrame
    answers: Mapping[str, str]
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


@dataclass(frozen=True)
class _Columns:
    """What was said about the columns of a file."""

    target: str | None
    prediction: Sequence[str]
    groups: str | None
    nominal: Sequence[str]
    drop: Sequence[str]
    keep: Sequence[str]
    classes: Sequence[str]
    weight: str | None


def _read(file: CaseFile, columns: _Columns, missing: Sequence[str], rules: AnswerRules) -> _Cases:
    import narwhals as nw

    from fivefold.evaluation.slices_view import judge_features
    from fivefold.inputs.predictions import repeat_rows
    from fivefold.inputs.roles import infer_roles

    target, groups = columns.target, columns.groups
    single = [name for name in (target, groups) if name is not None]
    notes: list[str] = []
    frame = read_cases(file, [*single, *columns.prediction], columns.nominal, missing, notes)
    repeated, counted = repeat_rows(nw.from_native(frame, eager_only=True), columns.weight)
    frame, notes = repeated.to_native(), [*notes, *counted]
    answers = split_names(columns.prediction, frame.columns, "--prediction")
    check_names([*single, *answers.values()], frame.columns, file)
    frame = clean_columns(frame, target, answers, columns.classes, rules, notes)
    roles = infer_roles(
        frame,
        target=target,
        answers=answers,
        groups=groups,
        weight=columns.weight,
        drop=columns.drop,
        keep=columns.keep,
        classes=columns.classes,
    )
    if not roles.attributes:
        return _Cases(file, frame, answers, roles, [], notes)
    judged = judge_features(frame.select(roles.attributes), roles.kept)
    if judged.problem:
        raise InputError("columns that can stand in a slice", judged.problem, "--keep takes one as it is")
    # what the search leaves out it says by itself, and may take it for groups
    searched = list(roles.attributes)
    roles = roles.leave_out(judged.left_out).read_as(judged.read_as)
    return _Cases(file, frame, answers, roles, searched, notes)


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


def _tell(slices: SliceSet, cases: _Cases, top: int, *, json: bool, sql: bool, quiet: bool) -> None:
    if json:
        columns = [asdict(column) for column in cases.roles.columns]
        beside = {"source": cases.file.name, "columns": columns, "notes": cases.notes}
        print_json(beside | slices.to_dict())
    elif sql:
        sys.stdout.writelines(f"{condition}\n" for condition in slices.to_sql())
    else:
        _print(slices, top, cases.notes)
    if not quiet and (json or sql):
        tell(cases.notes)


def _print(slices: SliceSet, top: int, notes: Sequence[str]) -> None:
    from rich.table import Table
    from rich.text import Text

    from fivefold.report.terminal import wrap

    console = results()
    # the notes say it of all columns
    for sentence in (str(replace(slices, left_out={})), *notes):
        console.print(Text(wrap(sentence, console.width)))
    if not slices:
        return
    table = Table(box=None, pad_edge=False)
    held = any(part.held_back for part in slices)
    for heading in (
        "points",
        "held back" if held else "to expect",
        "beyond average",
        "cases",
        "p",
        "explains",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("where", overflow="fold")
    for part in slices[:top]:
        table.add_row(*_row(part, slices.tests), Text(part.conditions))
    console.print()
    console.print(table)
    if len(slices) > top:
        console.print(f"… and {len(slices) - top} more; --top shows more, --json all.")
    if not held:
        console.print("--hold-back 0.5 measures them on cases that the search has not seen.")
    for place, part in enumerate(slices[: min(top, 3)]):
        console.print()
        console.print(Text(wrap(part.sentence, console.width)))
        if others := slices.explained_by(place, most=3):
            named = "; ".join(f"{other.conditions} ({100 * other.difference:+.1f})" for other in others)
            more = f"; and {part.n_explained - len(others):,} more" if part.n_explained > len(others) else ""
            console.print(Text(wrap(f"Because of it also: {named}{more}.", console.width)))


def _row(part: Slice, tests: Tests) -> tuple[str, ...]:
    """Write the numbers of a slice."""
    expected = part.held_back.difference if part.held_back else part.shrunk
    p_value = tests.say_p(part.adjusted_p_value).removeprefix("p ").removeprefix("= ").replace(" ", "")
    points = (f"{100 * number:+.1f}" for number in (part.difference, expected))
    return *points, f"{part.effect_size:+,.0f}", f"{part.n:,}", p_value, f"{part.n_explained:,}"


def _write(
    html: Path | None,
    cases: _Cases,
    slices: SliceSet,
    labels: tuple[pl.Series, pl.Series],
    models: tuple[str, ...],
    named: Sequence[pl.Series],
    quiet: bool,
) -> None:
    """Write the slices of models as a page, if one is asked for; `named` are columns that may stand in a slice."""
    if html is None:
        return
    from fivefold.evaluation.slices_view import view_slices
    from fivefold.inputs.columns import read_columns
    from fivefold.report.page import render_slices
    from fivefold.results import write_text

    extra = [column for series in named for column in read_columns(series.to_frame())]
    view = view_slices(slices, cases.attributes(), *labels, models, extra)
    write_text(html, render_slices(view, source=cases.file.name))
    if not quiet:
        typer.echo(f"wrote {html}", err=True)
