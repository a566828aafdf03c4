"""`fivefold report`: judge models by what they said about known cases."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivefold.cli import cases
from fivefold.cli.console import print_json, results, takes, writable
from fivefold.errors import FivefoldError, InputError, show
from fivefold.plain_text import counted
from fivefold.progress import part, shown

if TYPE_CHECKING:
    from fivefold.data.table import Table
    from fivefold.evaluation.models import CameFitted, Trained
    from fivefold.inputs.predictions import Predictions
    from fivefold.inputs.roles import ColumnRole


MOST_NOTES = 8
HELP_PREDICTION = (
    "Column of a model's answers: a class, several as 'cat|dog', or none; MODEL=COLUMN names it."
)
HELP_PREFIX = "Probability columns PREFIX + class, as MODEL=PREFIX; '{}' stands for each model's name."
HELP_PROBABILITY = "Column of the probability of the second of two classes (as sorted), as MODEL=COLUMN."
HELP_CONFIDENCE = "Column of how sure a model is (0 to 1, 0 to 100, or words for --map), as MODEL=COLUMN."
HELP_MODEL = (
    "Learner to train on a part of the cases and judge on the rest; `fivefold learners` lists them. "
    "With --trust also a file of a fitted model, as FILE or NAME=FILE."
)
HELP_TRUST = "Load model files (.joblib, .pkl, .skops). They can run any code: only from people you trust."


@takes(cases.CaseOptions, "given")
def report(
    files: cases.Files,
    target: cases.Target = None,
    prediction: Annotated[
        list[str] | None, typer.Option("--prediction", "-p", metavar="COLUMN", help=HELP_PREDICTION)
    ] = None,
    probability_prefix: Annotated[list[str] | None, typer.Option(metavar="PREFIX", help=HELP_PREFIX)] = None,
    probability: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help=HELP_PROBABILITY)] = None,
    confidence: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help=HELP_CONFIDENCE)] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", metavar="NAME", help=HELP_MODEL, autocompletion=cases.complete_learners
        ),
    ] = None,
    trust: Annotated[bool, typer.Option("--trust", help=HELP_TRUST)] = False,
    test_share: Annotated[
        float, typer.Option(metavar="SHARE", help="With --model: share of the cases to judge on.")
    ] = 1 / 3,
    coverage: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Share of cases whose truth the models' sets promise to hold."),
    ] = None,
    softmax: Annotated[
        bool, typer.Option("--softmax", help="With lm-eval: log-likelihoods of choices as probabilities.")
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="With --model: time for more fits, as 30s (default), 5min or all."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write one HTML page.", callback=writable)
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Print all views, sentence by sentence, after the first screen.")
    ] = False,
    *,
    given: cases.CaseOptions,
) -> None:
    """Judge models by what they said about known cases.

    Reads a table of predictions (no model is needed), or trains learners by name on a part of a table of cases.
    Prints first which model to take (or why none), then warnings and a row of figures for each model. --details
    prints every view in full, --html writes it.

    Example: fivefold report predictions.csv --target y --prediction a --prediction b --html report.html

    Example: fivefold report cases.csv --target y --model 1r --model c45 --model nb

    Example: fivefold report --format lm-eval runA/samples_*.jsonl runB/samples_*.jsonl
    """
    from fivefold.evaluation.five_views import columns_of, evaluate_models
    from fivefold.report.summary import summarise, summarise_first_screen

    file = cases.open_files(files, given.format, given.metric, given.filter, softmax)
    class_, groups, json, quiet = given.class_, given.groups or file.groups, given.json, given.quiet
    target = file.target(target)
    columns = [file.predictions(prediction), probability_prefix or [], probability or [], confidence or []]
    if file.runs is not None:
        columns[1] += [f"{run}={prefix}" for run, prefix in file.runs.probabilities.items()]
        class_ = class_ or list(file.runs.classes)
    stored = _load_files(model or [], trust)
    _check_together(bool(model), any(columns), class_ if not stored else None, budget, given)
    common = {"nominal": given.nominal or [], "missing": given.missing or []}
    roles: dict[str, Any] = {"groups": groups, "drop": given.drop or [], "keep": given.keep or []}
    source, trained, notes = file.name, [], list[str]()
    with shown(False if quiet else None), part(total=2 if model else None) as step:
        if model:
            named = [name for name in model if name not in stored]
            learners, ready = _make_learners(named), dict(stored.values())
            table = _like_classes(cases.read_table(file, target, **common), ready)
            trained = _train(learners, ready, table, test_share, seed=given.seed, classes=class_, **roles)
            predictions = [one.predictions for one in trained]
            if n_others := table.n_rows - predictions[0].n_cases:
                source += f" (trained on {counted(n_others, 'other case')})"
            step.advance()
        elif given.dry_run and not any(columns):
            roles |= {"weight": given.weight, "classes": class_ or ()}
            cases.print_roles(_take_columns(file, target, common, notes, **roles), json)
            _tell_notes([] if quiet else notes)
            return
        else:
            roles |= {"rules": cases.answer_rules(given), "weight": given.weight}
            predictions = _read_predictions(file, target, columns, common, notes, classes=class_, **roles)
        if given.dry_run:
            cases.print_roles(columns_of(predictions[0].roles, predictions[0].features), json)
            _tell_notes([] if quiet else notes)
            return
        limits: dict[str, Any] = {"budget": _seconds(budget), "coverage": coverage}
        about: dict[str, Any] = {"target": target, "source": source, "trained": trained, "notes": notes}
        evaluation = evaluate_models(
            predictions, given.seed, n_jobs=-1, hold_back=given.hold_back, **about, **limits
        )
        # of many models, what the first screen shows takes much less time than all that is known
        whole = json or details or html is not None
        summary = summarise(evaluation, target=target) if whole else summarise_first_screen(evaluation)
        notes = list(evaluation.notes)
        del evaluation, predictions, trained, about  # nothing is kept of the cases while the page is drawn
    if not quiet and not (details and not json):
        _tell_notes(notes)
    try:
        _show(summary, json=json, details=details, hint=html is None and not quiet)
    finally:  # a page that was asked for is written also where the reader of a pipe, such as `head`, has gone
        if html is not None:
            _write_page(html, summary, quiet)


def _tell_notes(notes: Sequence[str]) -> None:
    more = len(notes) - MOST_NOTES
    rest = [f"… and {counted(more, 'more note')}; --details, --html and --json hold all."] if more > 0 else []
    cases.tell([*notes[:MOST_NOTES], *rest])


def _read_predictions(
    file: cases.CaseFile,
    target: str,
    columns: Sequence[Sequence[str]],
    common: Mapping[str, list[str]],
    notes: list[str],
    *,
    groups: str | None,
    **how: Any,
) -> list[Predictions]:
    """Read what models said: `columns` of answers, of probabilities by prefix and single, and of confidences."""
    from fivefold.inputs.predictions import predictions_from_table

    with part(f"reading {file.name}"):
        labels = [target, *columns[0], *([] if groups is None else [groups])]
        frame = cases.read_cases(file, labels, common["nominal"], common["missing"], notes, few_numbers=True)
    answers, stated = _read_roles(columns[0], columns[1], columns[2], frame.columns)
    sure = _sure(columns[3], [*answers, *stated], frame.columns)
    how |= {"predictions": answers, "probabilities": stated, "confidence": sure}
    return predictions_from_table(frame, target=target, groups=groups, **how)


def _take_columns(
    file: cases.CaseFile, target: str, common: Mapping[str, list[str]], notes: list[str], **roles: Any
) -> tuple[ColumnRole, ...]:
    """Say what each column would be taken for, where no model's answers are named yet."""
    from fivefold.evaluation.five_views import columns_of
    from fivefold.inputs.roles import infer_roles

    named = [name for name in (target, roles["groups"], roles["weight"]) if name is not None]
    with part(f"reading {file.name}"):
        frame = cases.read_cases(file, named, common["nominal"], common["missing"], notes)
    cases.check_names(named, frame.columns, file)
    inferred = infer_roles(frame, target=target, **roles)
    return columns_of(inferred, frame.select(inferred.attributes) if inferred.attributes else None)


def _show(summary: dict[str, Any], *, json: bool, details: bool, hint: bool) -> None:
    """Print the report as JSON or as text, and on a terminal a `hint` at what more there is."""
    from fivefold.report.summary import to_json
    from fivefold.report.terminal import print_first_screen, print_report

    if json:
        print_json(to_json(summary))
        return
    (print_report if details else print_first_screen)(summary, results())
    if hint and sys.stdout.isatty() and not details:
        typer.echo("more: --details prints every view, --html FILE writes a page", err=True)


def _write_page(path: Path, summary: dict[str, Any], quiet: bool) -> None:
    from fivefold.report.page import render_summary
    from fivefold.results import write_text

    with shown(False if quiet else None), part(f"writing {path.name}"):
        write_text(path, render_summary(summary))
    if not quiet:
        typer.echo(f"wrote {path}", err=True)


def _seconds(budget: str | None) -> float:
    """Read a time such as 30s, 5min or 1h; "all" waits for everything."""
    from fivefold.evaluation.five_views import read_budget

    if budget is None or budget == "all":
        return read_budget(None, unlimited=budget == "all")
    written = re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*(s|min|h|)", budget.strip().lower())
    if written is None:
        raise InputError("--budget to be a time", show(budget), "such as 30s, 5min, 1h or all")
    return read_budget(float(written[1]) * {"": 1, "s": 1, "min": 60, "h": 3600}[written[2]])


def _check_together(
    trained: bool, columns: bool, classes: object, budget: str | None, given: cases.CaseOptions
) -> None:
    """Refuse options that would have no effect beside the others."""
    reads = given.unknown_answers != "error" or given.normalise or given.map_
    reading = "--unknown-answers, --normalise and --map"
    for wrong, option, reason in (
        (trained and columns, "--model", "give columns of predictions or learners to train, not both"),
        (trained and classes, "--class", "with --model, the classes are those of the file"),
        (budget and not trained, "--budget", "it is for learners to train; add --model"),
        (trained and given.weight, "--weight", "with --model, no split may tear the copies of a case apart"),
        (trained and reads, reading, "with --model, learners answer with classes of the file"),
    ):
        if wrong:
            raise typer.BadParameter(reason, param_hint=option)


def _train(
    learners: dict[str, Any],
    ready: dict[str, Any],
    table: Table,
    test_share: float,
    *,
    groups: str | None,
    seed: int,
    drop: list[str],
    keep: list[str],
    classes: list[str] | None = None,
) -> list[Trained | CameFitted]:
    """Train learners on a part of the cases; from columns that are dropped they learn nothing."""
    from fivefold.evaluation.models import hold_out, name_models
    from fivefold.inputs.options import show_list
    from fivefold.inputs.roles import infer_roles

    roles = infer_roles(table.X, groups=groups, drop=drop, keep=keep)
    table = table.without(roles.dropped_from_learning()) if learners else table
    models = name_models([*learners.items(), *ready.items()])
    how: dict[str, Any] = {"test_share": test_share, "groups": groups, "classes": classes}
    try:
        trained = hold_out(models, table, random_state=seed, **how)
    except Exception as error:  # a stored model can go wrong in any way
        notes = " ".join(getattr(error, "__notes__", ()))
        whose = next((name for name in ready if repr(name) in notes), None)
        if whose is None or isinstance(error, FivefoldError | MemoryError):
            raise
        names = show_list(getattr(ready[whose], "feature_names_in_", ()))
        raise InputError(
            f"cases that {whose} can answer",
            f"{type(error).__name__}: {show(' '.join(str(error).split()), 200)}",
            f"a model needs the columns that it was trained on, in their order: {names}".removesuffix(": "),
        ) from error
    asked = trained[0].predictions.features
    assert asked is not None
    features = asked.select(roles.attributes) if roles.attributes else None
    return [
        replace(model, predictions=replace(model.predictions, features=features, roles=roles))
        for model in trained
    ]


def _load_files(models: Sequence[str], trust: bool) -> dict[str, tuple[str, Any]]:
    """Load those models that are files: by what was given, the name and the model."""
    from fivefold.evaluation.models import MODEL_FILES, open_models

    stored = {}
    for given in models:
        name, separator, path = given.rpartition("=")
        if not path.lower().endswith(MODEL_FILES):
            continue
        if not trust:
            hint = "it can run any code when it is loaded; say so only of files from people you trust"
            raise InputError("--trust with a file of a model", show(path), hint)
        [(own, model)] = open_models(path, trust=True)
        stored[given] = (name if separator else own, model)
    if trust and not stored:
        raise typer.BadParameter("it is for files of models, such as --model m.joblib", param_hint="--trust")
    if len(dict(stored.values())) < len(stored):
        raise InputError("a name for each model", ", ".join(stored), "write --model NAME=FILE")
    return stored


def _like_classes(table: Table, models: Mapping[str, Any]) -> Table:
    """Read the classes of a file as whole numbers or truth values, where stored models know them as such."""
    import numpy as np

    fitted = [model for model in models.values() if hasattr(model, "classes_")]
    kinds = {np.asarray(model.classes_).dtype.kind for model in fitted}
    words = {"true": True, "false": False}
    try:
        if kinds == {"b"}:
            return replace(table, y=np.array([words[str(label).casefold()] for label in table.y]))
        if kinds and kinds <= set("iuf"):
            return replace(table, y=np.array([int(label) for label in table.y], dtype=np.int64))
    except (TypeError, ValueError, KeyError):
        pass
    return table


def _make_learners(names: list[str]) -> dict[str, Any]:
    from fivefold.learners.by_name import learner_name, make_learner

    learners = {learner_name(name): make_learner(name) for name in names}
    if len(learners) < len(names):
        raise InputError("each learner once", f"--model {' --model '.join(names)}")
    return learners


def _read_roles(
    prediction: Sequence[str], prefixes: Sequence[str], single: Sequence[str], columns: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Give the columns of answers and of probabilities by model name."""
    answers = cases.split_names(prediction, columns, "--prediction")
    stated: dict[str, str] = {}
    given = [_prefixes(text, list(answers), columns) for text in prefixes]
    _need_models("--probability", single, list(answers), columns, ", or {0}={0} for a model of its own")
    for more in (*given, cases.split_names(single, columns, "--probability")):
        for name in stated.keys() & more.keys():
            got = f"{stated[name]!r} and {more[name]!r} for {show(name)}"
            raise InputError("the probabilities of each model once", got, "leave one of them out")
        stated |= more
    return answers, stated


def _sure(given: Sequence[str], models: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Give the column of each model's confidence; a bare column is that of the only model."""
    named = cases.split_names(given, columns, "--confidence")
    if len(named) == len(models) == 1:
        ((name, column),) = named.items()
        return {models[0] if name == column else name: column}
    _need_models("--confidence", given, models, columns)
    return named


def _need_models(
    option: str, given: Sequence[str], models: Sequence[str], columns: Sequence[str], other: str = ""
) -> None:
    """Refuse a bare column where nobody can know whose it is."""
    for text in given:
        if models and text in columns and text not in models:
            hint = f"write {models[0]}={text} if {models[0]} states it{other.format(text)}"
            raise InputError(f"{option} MODEL=COLUMN", show(text), hint)


def _prefixes(text: str, models: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    if "{}" in text:
        every = {name: text.replace("{}", name) for name in models}
        used = {name: prefix for name, prefix in every.items() if any(c.startswith(prefix) for c in columns)}
        if not used:
            raise InputError(
                f"columns that begin with {text!r}, the name of a model in place of {{}}",
                f"the columns {', '.join(columns[:12])}",
            )
        return used
    name, separator, prefix = text.partition("=")
    if separator:
        return {name: prefix}
    if len(models) == 1:
        return {models[0]: text}
    if not models:
        return {text.strip("_-.: ") or "model": text}
    hint = "'{}' stands for each name"
    raise InputError("--probability-prefix MODEL=PREFIX where there are several models", repr(text), hint)
