"""Cases: the file that a command reads, what its columns are taken for, and how to say so."""

from __future__ import annotations

import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivefold.cli.console import Json, Quiet, print_json, results
from fivefold.errors import InputError, show
from fivefold.plain_text import visible
from fivefold.progress import part

if TYPE_CHECKING:
    import polars as pl

    from fivefold.data.files import FileNames
    from fivefold.data.harness_logs import Runs
    from fivefold.data.table import Table
    from fivefold.inputs.answers import AnswerRules
    from fivefold.inputs.frames import Labels
    from fivefold.inputs.roles import ColumnRole

# of files up to so many bytes the columns are named where one is missing, so many of them
SMALL_FILE, MOST_NAMED = 50_000_000, 12
HELP_DROP = "Column that no slice uses and no learner learns from; 'p_*' drops all that begin with p_."
HELP_KEEP = "Column that slices may use, whatever it looks like; 'p_*' keeps all that begin with p_."
HELP_HOLD_BACK = "Share of cases, say 0.5, hidden from the search, on which slices are measured again."
HELP_DRY_RUN = "Print what each column is taken for, and why; search nothing."

HELP_UNKNOWN = "What an answer that is no class is: error, wrong (a wrong answer) or none (no answer)."
HELP_NORMALISE = "Ignore surrounding blanks, capitals and Unicode forms in answers and classes."
HELP_MAP = "What an answer stands for, as 'yes=Y'; 'I cannot answer=' is no answer."

HELP_FILE = (
    "Rows of cases: a CSV, JSON lines, Parquet, ARFF or Excel file, also compressed; several, a pattern, an "
    "address, - for standard input; or a known data set, such as iris."
)
HELP_FORMAT = (
    "Format, where file names do not tell it: csv, json, parquet, arff, excel; or logs of language "
    "models: lm-eval, inspect."
)


def complete_files(incomplete: str) -> list[str]:
    """Complete names of known data sets, and of files."""
    files = sorted(glob.glob(f"{glob.escape(incomplete)}*"))  # noqa: PTH207
    return (complete_sets(incomplete) if incomplete else []) + files


def complete_learners(incomplete: str) -> list[tuple[str, str]]:
    """Complete names of learners."""
    from fivefold.learners.by_name import LEARNERS

    return [(name, named.title) for name, named in LEARNERS.items() if name.startswith(incomplete.casefold())]


def complete_sets(incomplete: str) -> list[str]:
    """Complete names of known data sets."""
    from fivefold.data.catalogue import known_names, names

    every = dict.fromkeys([*names(), *known_names()])
    return [name for name in every if name.casefold().startswith(incomplete.casefold())]


Files = Annotated[list[str], typer.Argument(metavar="FILE", help=HELP_FILE, autocompletion=complete_files)]
Format = Annotated[str | None, typer.Option("--format", metavar="NAME", help=HELP_FORMAT)]
Metric = Annotated[
    str | None,
    typer.Option(
        "--metric", metavar="NAME", help="With such logs: metric or scorer that says right or wrong."
    ),
]
Filter = Annotated[
    str | None, typer.Option("--filter", metavar="NAME", help="With lm-eval: which of its filters to take.")
]
Target = Annotated[
    str | None, typer.Option("--target", "-t", metavar="COLUMN", help="Column of the true class, if known.")
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Seed of everything random.", min=0)]
Drop = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help=HELP_DROP)]
Keep = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help=HELP_KEEP)]
Nominal = Annotated[
    list[str] | None, typer.Option(metavar="COLUMN", help="Column of numbers that are names, not amounts.")
]
Missing = Annotated[
    list[str] | None, typer.Option(metavar="TEXT", help="Text that means missing, besides an empty cell.")
]
Groups = Annotated[
    str | None,
    typer.Option(
        "--groups", metavar="COLUMN", help="Column that says which cases belong together (of one customer)."
    ),
]
Weight = Annotated[
    str | None,
    typer.Option("--weight", metavar="COLUMN", help="Column that says how many cases each row stands for."),
]
UnknownAnswers = Annotated[str, typer.Option("--unknown-answers", metavar="WHAT", help=HELP_UNKNOWN)]
Normalise = Annotated[bool, typer.Option("--normalise", "--normalize", help=HELP_NORMALISE)]
Map = Annotated[list[str] | None, typer.Option("--map", metavar="TEXT=CLASS", help=HELP_MAP)]
Classes = Annotated[
    list[str] | None,
    typer.Option("--class", metavar="LABEL", help="A class of the problem; name all or none."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help=HELP_DRY_RUN)]
HoldBack = Annotated[float, typer.Option(metavar="SHARE", help=HELP_HOLD_BACK)]


@dataclass(frozen=True)
class CaseOptions:
    """The options of every command that judges answers: how to read the cases, and what to do with them."""

    class_: Classes = None
    unknown_answers: UnknownAnswers = "error"
    normalise: Normalise = False
    map_: Map = None
    drop: Drop = None
    keep: Keep = None
    nominal: Nominal = None
    missing: Missing = None
    groups: Groups = None
    weight: Weight = None
    format: Format = None
    metric: Metric = None
    filter: Filter = None
    hold_back: HoldBack = 0.0
    json: Json = False
    dry_run: DryRun = False
    seed: Seed = 0
    quiet: Quiet = False


@dataclass(frozen=True)
class CaseFile:
    """What a command reads: files of one format or a known data set, or logs whose columns have known roles."""

    names: FileNames
    format: str | None
    runs: Runs | None

    @property
    def name(self) -> str:
        """What to call it."""
        return self.names.name if self.runs is None else " and ".join(self.runs.predictions)

    @property
    def groups(self) -> str | None:
        """The column that says which cases belong together, where that is known."""
        return None if self.runs is None else self.runs.groups

    def target(self, given: str | None) -> str:
        """Give the column of the true class: the given one, or the known one."""
        from fivefold.data.files import bundled_code, check_files

        if given is None and self.runs is None and bundled_code(self.names) is None:
            check_files(self.names)
            raise typer.BadParameter(
                f"name the column of the true class{self._columns()}", param_hint="--target / -t"
            )
        return given or ("class" if self.runs is None else self.runs.target)

    def _columns(self) -> str:
        """Name the columns, where that takes little time."""
        from fivefold.data.files import check_files, read_frame

        paths = [Path(location.given) for location in check_files(self.names)]
        if sum(path.stat().st_size if path.is_file() else SMALL_FILE + 1 for path in paths) > SMALL_FILE:
            return ""
        columns = read_frame(self.names, as_text=True, format=self.format).columns
        more = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
        return f"; the columns are {', '.join(map(visible, columns[:MOST_NAMED]))}{more}"

    def predictions(self, given: list[str] | None) -> list[str]:
        """Give the columns of answers: the given ones, or all that are known."""
        return given or ([] if self.runs is None else list(self.runs.predictions.values()))


def open_files(
    files: list[str], format: str | None, metric: str | None, filter: str | None, softmax: bool = False
) -> CaseFile:
    """Find out what the names of files stand for; read logs of harnesses."""
    from fivefold.data.files import FileNames

    if format in ("lm-eval", "inspect"):
        from fivefold.data.harness_logs import read_runs

        runs = read_runs(files, format=format, metric=metric, filter=filter, softmax=softmax)
        return CaseFile(FileNames(files), format, runs)
    for option, value in (("--metric", metric), ("--filter", filter), ("--softmax", softmax)):
        if value:
            raise typer.BadParameter("it is for logs: --format lm-eval or inspect", param_hint=option)
    return CaseFile(FileNames(files), format, None)


def read_cases(
    file: CaseFile,
    labels: Sequence[str],
    nominal: Sequence[str],
    missing: Sequence[str],
    notes: list[str],
    few_numbers: bool = False,
) -> pl.DataFrame:
    """Read a file: labels as text, all else as numbers where it is; what was noticed is added to the notes.

    `labels` are names of columns, or texts such as MODEL=COLUMN; `few_numbers` as in `read_frame`.
    """
    from fivefold.data.files import read_frame

    if file.runs is not None:
        notes += file.runs.notes
        return file.runs.frame
    texts = {name for text in labels for name in (text, text.partition("=")[2])}
    how = {"missing": ("", *missing), "format": file.format, "notes": notes, "few_numbers": few_numbers}
    frame = read_frame(file.names, as_text={*texts, *nominal}, **how)  # type: ignore[arg-type]
    check_names(nominal, frame.columns, file)
    return frame


def read_table(file: CaseFile, target: str, nominal: Sequence[str], missing: Sequence[str]) -> Table:
    """Read a file, or a known data set, as a table of cases and classes to learn from."""
    from fivefold.data.files import read

    kinds: dict[str, Any] = dict.fromkeys(nominal, "nominal")
    with part(f"reading {file.name}"):
        table = read(file.names, target=target, kinds=kinds, missing=("", *missing), format=file.format)
    if 2 * len(table.classes) > len(table) >= 20:
        got = f"{len(table.classes):,} different values in {len(table):,} cases"
        hint = "put numbers into ranges first, such as low and high; names of cases are no classes"
        raise InputError(f"classes in column {show(table.target)} that several cases share", got, hint)
    return table


def answer_rules(given: CaseOptions) -> AnswerRules:
    """Put together how answers become classes."""
    from fivefold.inputs.answers import AnswerRules

    mapping = {}
    for text in given.map_ or []:
        word, separator, label = text.rpartition("=")
        if not separator or not word:
            raise InputError(
                "--map TEXT=CLASS", show(text), "for example --map 'yes=Y' --map 'I cannot say='"
            )
        mapping[word] = label
    return AnswerRules(given.unknown_answers, given.normalise, mapping)


def clean_columns(
    frame: pl.DataFrame,
    target: str | None,
    answers: Mapping[str, str],
    classes: Sequence[str],
    rules: AnswerRules,
    notes: list[str],
) -> pl.DataFrame:
    """Turn the answers in a table into classes: those of its target, or all answers where there is none."""
    import polars as pl

    from fivefold.inputs.labels import read_labels

    columns = {name: read_labels(frame[column], column) for name, column in answers.items()}
    source = pl.concat([frame[column].alias("") for column in answers.values()])
    if target is not None:
        source = frame[target]
    elif rules.unknown != "error" and not classes:
        raise typer.BadParameter(
            "it needs --target or --class to know the classes", param_hint="--unknown-answers"
        )
    targets = [label for label in rules.mapping.values() if label] if target is None else []
    known, changes = rules.clean_truth(
        read_labels(source, "labels"), [*classes, *targets], f"column {target!r}"
    )
    if target is not None:
        notes += changes
        frame = frame.with_columns(_decode(known).alias(target))
    several = list(dict.fromkeys([*classes, *targets, *([] if classes else known.values)]))
    if len(several) < 2:  # few classes say little of others
        several += [value for labels in columns.values() for value in labels.values if value not in several]
    for_answers, _ = rules.split(several)  # what stands for a number is a confidence, which `report` reads
    for name, labels in columns.items():
        cleaned = for_answers.clean(labels, several, f"the answers of {name!r}")
        notes += cleaned.notes
        frame = frame.with_columns(_decode(cleaned.labels).alias(answers[name]))
    notes += rules.unused(columns.values())
    return frame


def _decode(labels: Labels) -> pl.Series:
    import polars as pl

    return pl.Series([*labels.values, None], dtype=pl.String).gather(labels.codes % (len(labels.values) + 1))


def check_names(names: Sequence[str], columns: Sequence[str], file: CaseFile) -> None:
    """Insist on columns that are there."""
    from fivefold.inputs.options import close_names

    for name in names:
        if name not in columns:
            raise InputError(f"a column of {file.name}", show(name), close_names(name, columns))


def split_names(given: Sequence[str], columns: Sequence[str], option: str) -> dict[str, str]:
    """Read texts such as MODEL=COLUMN, unless the whole text is a column; each model once."""
    named = {}
    for text in given:
        name, separator, column = text.partition("=")
        name, column = (name, column) if separator and text not in columns else (text, text)
        if name in named:
            raise InputError("each model once", f"{option} {f' {option} '.join(given)}")
        named[name] = column
    return named


def print_roles(columns: Sequence[ColumnRole], json: bool) -> None:
    """Print what each column is taken for, as a table or for programs."""
    if json:
        from fivefold.results import plain

        print_json({"columns": plain(list(columns))})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for heading in ("column", "taken for", "because"):
        table.add_column(heading, overflow="fold")
    for column in columns:
        table.add_row(Text(column.column), column.role, Text(column.why))
    results().print(table)


def tell(notes: Sequence[str]) -> None:
    """Say on standard error what was noticed, recognised or changed while reading."""
    from textwrap import fill

    for note in notes:
        typer.echo(fill(note, 80, subsequent_indent="  ", break_on_hyphens=False), err=True)
