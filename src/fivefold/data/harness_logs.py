"""Harness logs: what language models said in runs of lm-evaluation-harness or Inspect, paired item by item."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import polars as pl

from fivefold.data.formats import frame_of_objects, json_objects, parse_json
from fivefold.data.locations import Location, Names, locate
from fivefold.errors import InputError, show
from fivefold.inputs.options import close_names, instance_of
from fivefold.plain_text import counted

TARGET = "target"
RIGHT, WRONG, OTHER = "right", "wrong", "(other)"
_METRICS = ("acc", "exact_match", "acc_norm")
_MOST_LABELS = 20
_SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)")
_NOT_MATCHED = {"[invalid]", "[none]", ""}
_HINT = "is it such a log? lm-evaluation-harness writes samples_*.jsonl with --log_samples, Inspect .eval or .json"


@dataclass(frozen=True)
class Runs:
    """What several runs said about the items that all of them have.

    Parameters
    ----------
    frame : polars.DataFrame
        A row for each item: the truth, the answer of each run, and what the logs tell of the item.
    target : str
        The column of the truth.
    predictions : mapping of run to column
        The columns of answers.
    probabilities : mapping of run to prefix
        Columns of probabilities, where they were asked for.
    classes : tuple of str
        All classes: choices, labels, or "right" and "wrong".
    groups : str or None
        The column of the item, where a run asked each several times.
    notes : tuple of str
        What was chosen, left out or counted.
    """

    frame: pl.DataFrame
    target: str
    predictions: Mapping[str, str]
    probabilities: Mapping[str, str]
    classes: tuple[str, ...]
    groups: str | None
    notes: tuple[str, ...]


@dataclass
class _Item:
    """An item of a run: its label and the answer where they are told, and whether that was right."""

    doc: dict[str, Any]
    target: str
    answer: str | None
    right: bool
    choices: tuple[str, ...] = ()
    logs: tuple[float, ...] = ()
    hash: str = ""


_Key = tuple[str, str, str]  # task, item, epoch


@dataclass
class _Log:
    """The items of one file, and of which run and task they are."""

    run: str
    task: str
    date: str
    location: Location
    items: dict[_Key, _Item] = field(default_factory=dict)


def read_runs(
    paths: Names,
    *,
    format: str = "lm-eval",
    metric: str | None = None,
    filter: str | None = None,
    softmax: bool = False,
) -> Runs:
    """Read the logs of runs, and pair them by item.

    Parameters
    ----------
    paths : path, pattern, or several
        Logs of lm-evaluation-harness (``samples_*.jsonl``; a folder is a run) or of Inspect (``.json``,
        ``.eval``; a model is a run). Two logs of the same task in a folder, or of a model, are runs of their own.
    format : "lm-eval" or "inspect"
        Which harness wrote them.
    metric : str, optional
        What says whether an answer is right: a metric of lm-evaluation-harness (by default ``acc``, else
        ``exact_match``, else ``acc_norm``), or a scorer of Inspect (by default the first).
    filter : str, optional
        Which of the filters of lm-evaluation-harness to take, where there are several; by default the first.
    softmax : bool
        Turn the log-likelihoods of choices into probabilities: their exponentials, divided by their sum. A harness
        does not say that they are meant so.

    Returns
    -------
    Runs
        Where choices or labels tell what was answered, and agree with the metric on every item, those are the
        classes; otherwise each answer is "right" or "wrong", and the truth is always "right".

    References
    ----------
    EleutherAI, lm-evaluation-harness, docs/interface.md (``--log_samples``) and
    lm_eval/loggers/evaluation_tracker.py; UK AI Security Institute, Inspect, "Log Files" and the reference of
    ``inspect_ai.log`` (EvalLog, EvalSample, Score).
    """
    notes: list[str] = []
    instance_of(format, (str,), "format to be lm-eval or inspect")
    if format == "lm-eval":
        logs = [_read_lm_eval(location, metric, filter, notes) for location in locate(paths)]
    elif format == "inspect":
        logs = [_read_inspect(location, metric, notes) for location in locate(paths)]
    else:
        raise InputError("format to be lm-eval or inspect", show(format))
    runs = _group(logs, format)
    keys = _shared(runs, notes)
    items = {run: [known[key] for key in keys] for run, known in runs.items()}
    return _table(keys, items, softmax, list(dict.fromkeys(notes)))


def _read_lm_eval(location: Location, metric: str | None, filter: str | None, notes: list[str]) -> _Log:
    name = location.name.split(".jsonl")[0]
    match = _SAMPLES.fullmatch(name)
    task, date = (match["task"], match["date"]) if match else (name.removeprefix("samples_"), "")
    folder = PurePath(location.given).parent
    log = _Log(str(folder) if str(folder) != "." else name, task, date, location)
    samples = list(json_objects(location))
    filters = list(dict.fromkeys(str(sample["filter"]) for _, sample in samples if "filter" in sample))
    wanted = _chosen(filter, filters, "filter", location, notes)
    samples = [pair for pair in samples if str(pair[1].get("filter", wanted)) == wanted]
    metrics, strange = _binary_metrics(samples)
    usual = [name for name in _METRICS if name in metrics] + [m for m in metrics if m not in _METRICS]
    judged = _chosen(metric, usual, "metric", location, notes, strange)
    for place, sample in samples:
        where = f"{place} of {location.name}"
        key = (task, str(_need(sample, "doc_id", where)), "")
        _add(log, key, _lm_eval_item(sample, judged, where), where)
    return log


def _add(log: _Log, key: _Key, item: _Item, where: str) -> None:
    if log.items.setdefault(key, item) is not item:
        raise InputError("each item once in a log", f"{key[1]} again in {where}", "name one run a file")


def _chosen(
    given: str | None, known: list[str], what: str, location: Location, notes: list[str], strange: str = ""
) -> str:
    """Choose a filter, metric or scorer: what is asked for, else the first; tell of the others, or why none is."""
    if given is not None and given not in known:
        raise InputError(f"a {what} of {location.name}", show(given), close_names(given, known))
    if given is None and not known and what != "filter":
        raise InputError(
            f"a {what} that says right or wrong (1 or 0) of every answer",
            f"{strange or 'none'} in {location.name}",
            "log samples with such a metric, for instance acc or exact_match",
        )
    if given is None and len(known) > 1:
        notes.append(f"By {what} {known[0]}; --{what} chooses another: {', '.join(known[1:])}.")
    return given if given is not None else known[0] if known else ""


_FIELDS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}


def _binary_metrics(samples: Iterable[tuple[str, dict[str, Any]]]) -> tuple[list[str], str]:
    """Give the metrics that are 0 or 1 for every sample that has them, and where another first is not."""
    strange: dict[str, str] = {}
    for place, sample in samples:
        for name in sample.get("metrics") or [n for n in sample if n not in _FIELDS and "hash" not in n]:
            value = sample.get(name)
            plain = isinstance(value, bool | int | float) and value in (0, 1)
            if not strange.get(name):
                strange[name] = "" if plain else f"{name} {show(value)} ({place})"
    first = next(filter(None, strange.values()), "" if strange else "no samples")
    return [name for name, odd in strange.items() if not odd], first


def _object(value: Any, where: str) -> dict[str, Any]:
    """Insist on an object; without any it is empty."""
    if not isinstance(value or {}, dict):
        raise InputError(f"an object as {where}", show(value, 100), _HINT)
    return value or {}


def _need(sample: dict[str, Any], name: str, where: str) -> Any:
    if name not in sample:
        raise InputError(f"a field {name!r} in {where}", f"the fields {show(list(sample), 100)}", _HINT)
    return sample[name]


def _lm_eval_item(sample: dict[str, Any], metric: str, where: str) -> _Item:
    doc = sample.get("doc")
    target = str(_need(sample, "target", where))
    right = bool(_need(sample, metric, where))
    item = _Item(
        doc if isinstance(doc, dict) else {}, target, None, right, hash=str(sample.get("doc_hash", ""))
    )
    responses = sample.get("filtered_resps", sample.get("resps")) or []
    logs = [_log_likelihood(response) for response in responses]
    if len(logs) > 1 and all(log is not None for log in logs):
        _choose(item, [float(log or 0) for log in logs], sample.get("arguments"), metric)
    elif responses and isinstance(responses[0], str):
        item.answer = responses[0]
    return item


def _log_likelihood(response: Any) -> float | None:
    """Read a pair of log-likelihood and whether it was the greedy answer; the harness writes both as text."""
    while isinstance(response, list) and len(response) == 1:
        response = response[0]
    if not isinstance(response, list) or len(response) != 2 or str(response[1]) not in ("True", "False"):
        return None
    try:
        return float(response[0])
    except (TypeError, ValueError):
        return None


def _choose(item: _Item, logs: list[float], arguments: Any, metric: str) -> None:
    """Find out which choice was the likeliest, and which is the true one."""
    requests = list(arguments.values()) if isinstance(arguments, dict) else arguments
    requests = [list(r.values()) if isinstance(r, dict) else r for r in requests or []]
    pairs = [request for request in requests if isinstance(request, list)]
    if len(pairs) != len(logs) or any(len(pair) < 2 for pair in pairs):
        return
    half = len(pairs) // 2  # with acc_mutual_info the choices come again, without the question
    if half and not len(pairs) % 2 and all(pair[0] == "" for pair in pairs[half:]):
        pairs, logs = pairs[:half], logs[:half]
    choices = tuple(str(pair[1]).strip() for pair in pairs)
    lengths = [max(len(str(pair[1]).removeprefix(" ")), 1) for pair in pairs]
    scores = [log / n for log, n in zip(logs, lengths, strict=True)] if metric == "acc_norm" else logs
    if item.target.isdecimal() and int(item.target) < len(choices):
        true = int(item.target)
    elif item.target.strip() in choices:
        true = choices.index(item.target.strip())
    else:
        return
    item.choices, item.logs = choices, tuple(logs)
    item.target, item.answer = str(true), str(scores.index(max(scores)))


def _read_inspect(location: Location, metric: str | None, notes: list[str]) -> _Log:
    header, samples = _inspect_parts(location)
    facts = _object(_need(header, "eval", location.name), f"'eval' of {location.name}")
    log = _Log(str(facts.get("model", location.stem)), str(facts.get("task", "")), location.stem, location)
    if header.get("status", "success") != "success":
        notes.append(f"{location.name}: the run ended with the status {header['status']!r}.")
    places = [f"sample {place} of {location.name}" for place in range(1, len(samples) + 1)]
    objects = list(map(_object, samples, places))
    scored = [
        _object(sample.get("scores"), f"scores of {place}")
        for place, sample in zip(places, objects, strict=True)
    ]
    known = list(dict.fromkeys(name for scores in scored for name in scores))
    scorer = _chosen(metric, known, "metric", location, notes, "" if samples else "no samples")
    counts: Counter[str] = Counter()
    for where, sample, scores in zip(places, objects, scored, strict=True):
        score = _object(scores.get(scorer), f"the score in {where}")
        value = _mark(score.get("value"), where)
        if value is None:
            counts["without a score, left out"] += 1
            continue
        if 0 < value < 1:
            counts["partly right, taken as wrong"] += 1
        target = _need(sample, "target", where)
        text = "|".join(target) if isinstance(target, list) else str(target)
        answer = score.get("answer")
        key = (log.task, str(_need(sample, "id", where)), str(sample.get("epoch", 1)))
        described = _object(sample.get("metadata"), f"metadata of {where}")
        _add(log, key, _Item(described, text, None if answer is None else str(answer), value == 1), where)
    notes += [f"{location.name}: {counted(n, 'sample')} {what}." for what, n in counts.items()]
    return log


def _inspect_parts(location: Location) -> tuple[dict[str, Any], list[Any]]:
    """Give the header and the samples of a log, in JSON or as the archive that Inspect writes by default."""
    data = location.data
    if not data.startswith(b"PK"):
        log = _object(parse_json(data, location.name), location.name)
        return log, log.get("samples") or []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = sorted(n for n in archive.namelist() if n.startswith("samples/") and n.endswith(".json"))
            header = _object(parse_json(archive.read("header.json"), location.name), location.name)
            return header, [parse_json(archive.read(name), f"{name} of {location.name}") for name in names]
    except (zipfile.BadZipFile, KeyError, NotImplementedError, EOFError, OSError) as problem:
        raise InputError(
            f"a log of Inspect at {location.name}",
            f"an archive that cannot be read ({problem})",
            f"inspect log convert --to json --output-dir . {location.name}",
        ) from problem


_MARKS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def _mark(value: Any, where: str) -> float | None:
    """Read the value of a score as Inspect does, from 0 to 1; None where there is none."""
    number = _MARKS.get(value, _MARKS.get(value.lower())) if isinstance(value, str) else value
    if value is None or (isinstance(number, float) and math.isnan(number)):
        return None
    if not isinstance(number, bool | int | float) or not 0 <= number <= 1:
        raise InputError(
            "scores that say right or wrong: C, I, P, N, 0 to 1",
            f"{show(value)} in {where}",
            "--metric names another scorer",
        )
    return float(number)


def _group(logs: list[_Log], format: str) -> dict[str, dict[_Key, _Item]]:
    """Put the logs of a run together: of a folder or a model, unless that has a task twice."""
    tasks: dict[str, Counter[str]] = {}
    for log in logs:
        tasks.setdefault(log.run, Counter())[log.task] += 1
    runs: dict[str, dict[_Key, _Item]] = {}
    for log in logs:
        apart = max(tasks[log.run].values()) > 1
        name = f"{log.run} {log.date or log.location.stem}" if apart else log.run
        run = runs.setdefault(name, {})
        if twice := log.items.keys() & run.keys():
            raise InputError(
                "each item once in a run",
                f"{min(twice)} again in {log.location.given}",
                "name one log a task",
            )
        run.update(log.items)
    labels = _short_names(list(runs)) if format == "lm-eval" else list(runs)
    return dict(zip(labels, runs.values(), strict=True))


def _short_names(paths: Sequence[str]) -> list[str]:
    """Cut from the front of paths what is not needed to tell them apart."""
    parts = [PurePath(path).parts for path in paths]
    for length in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return list(paths)


def _shared(runs: Mapping[str, Mapping[_Key, _Item]], notes: list[str]) -> list[_Key]:
    """Give the items that all runs have; count the others, and insist that they are the same documents."""
    first, *others = runs.items()
    keys = [key for key in first[1] if all(key in known for _, known in others)]
    if not keys:
        raise InputError(
            "items that all runs have", f"none shared by {', '.join(runs)}", "compare runs of the same tasks"
        )
    for name, known in runs.items():
        if len(known) > len(keys):
            left_out = f"{len(known) - len(keys):,} of the {len(known):,} items of {name}"
            notes.append(f"Left out, because not in all runs: {left_out}.")
        for key in keys:
            ours, theirs = first[1][key], known[key]
            if (ours.hash and theirs.hash and ours.hash != theirs.hash) or (ours.target != theirs.target):
                raise InputError(
                    "the same document under each id in all runs",
                    f"another for {' '.join(filter(None, key))} in {name} than in {first[0]}",
                    "compare runs of the same version of a task",
                )
    return keys


def _table(keys: list[_Key], items: Mapping[str, list[_Item]], softmax: bool, notes: list[str]) -> Runs:
    first = next(iter(items.values()))
    labels = _labels(items)
    if labels is None:
        classes: list[str] = [RIGHT, WRONG]
        columns = {TARGET: [RIGHT] * len(keys)}
        columns |= {run: [RIGHT if i.right else WRONG for i in known] for run, known in items.items()}
        notes.append("Each answer is judged as right or wrong, as the log says.")
    else:
        classes, columns = labels
    prefixes = _probabilities(items, classes, columns) if softmax else {}
    attributes = _attributes(keys, first, set(columns), notes)
    asked_again = len({key[:2] for key in keys}) < len(keys)
    if asked_again:
        columns["item"] = [" ".join(key[:2]).strip() for key in keys]
    frame = pl.DataFrame(columns)
    frame = frame.hstack(attributes) if attributes.width else frame
    frame = _without_copies_of_truth(frame, attributes.columns, notes) if labels else frame
    return Runs(
        frame,
        TARGET,
        {run: run for run in items},
        prefixes,
        tuple(classes),
        "item" if asked_again else None,
        tuple(notes),
    )


def _labels(items: Mapping[str, list[_Item]]) -> tuple[list[str], dict[str, list[Any]]] | None:
    """Give classes and columns of labels, if these say the same as the metric about every answer."""
    everything = [item for known in items.values() for item in known]
    first = next(iter(items.values()))
    if all(item.choices for item in everything):
        common = len({item.choices for item in everything}) == 1 and len({*first[0].choices}) > 1
        names = first[0].choices if common and len({*first[0].choices}) == len(first[0].choices) else ()
        most = max(len(item.choices) for item in everything)
        classes = list(names) or [str(place) for place in range(most)]
        answers_by_run = {run: [classes[int(i.answer or 0)] for i in known] for run, known in items.items()}
        truth = [classes[int(item.target)] for item in first]
    else:
        truth = [item.target for item in first]
        classes = sorted(set(truth))
        if len(classes) > _MOST_LABELS or 2 * len(classes) > len(truth) or len(classes) < 2:
            return None
        known_as = {_plain(label): label for label in classes}
        answers_by_run = {run: [_said(i.answer, known_as) for i in known] for run, known in items.items()}  # type: ignore[misc]
        classes += [OTHER] * any(OTHER in answers for answers in answers_by_run.values())
    for run, known in items.items():
        if any((a == t) != i.right for a, t, i in zip(answers_by_run[run], truth, known, strict=True)):
            return None
    return classes, {TARGET: truth, **answers_by_run}


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.casefold()).strip() or text


def _said(answer: str | None, known_as: Mapping[str, str]) -> str | None:
    if answer is None or answer.strip() in _NOT_MATCHED:
        return None
    return known_as.get(_plain(answer), OTHER)


def _probabilities(
    items: Mapping[str, list[_Item]], classes: list[str], columns: dict[str, list[Any]]
) -> dict[str, str]:
    """Add columns of probabilities: exponentials of the log-likelihoods of the choices, divided by their sum."""
    for run, known in items.items():
        if not all(item.logs for item in known):
            raise InputError("log-likelihoods of choices for softmax", f"none in {run}", "leave softmax out")
        for place, label in enumerate(classes):
            columns[f"{run}:{label}"] = [_share(item.logs, place) for item in known]
    return {run: f"{run}:" for run in items}


def _share(logs: tuple[float, ...], place: int) -> float:
    most = max(logs)
    return (
        math.exp(logs[place] - most) / sum(math.exp(log - most) for log in logs) if place < len(logs) else 0.0
    )


def _attributes(keys: list[_Key], items: list[_Item], taken: set[str], notes: list[str]) -> pl.DataFrame:
    """Give what the logs tell of the items: the task, where there are several, and the fields of the documents."""
    docs = [{k: v for k, v in item.doc.items() if not isinstance(v, list)} for item in items]
    lists = sorted({k for item in items for k, v in item.doc.items() if isinstance(v, list)})
    if lists:
        notes.append(f"Lists describe no item and are left out: {', '.join(lists)}.")
    frame = frame_of_objects(docs, "the documents")
    if len({key[0] for key in keys}) > 1:
        frame = frame.insert_column(0, pl.Series("task", [key[0] for key in keys]))
    return frame.rename({name: f"doc.{name}" for name in frame.columns if name in {*taken, "item"}})


def _without_copies_of_truth(frame: pl.DataFrame, attributes: list[str], notes: list[str]) -> pl.DataFrame:
    """Leave out fields that only say the true class in other words, such as the letter of the key."""
    n_classes = frame[TARGET].n_unique()
    copies = [
        name
        for name in attributes
        if frame[name].n_unique() == n_classes == frame.select(TARGET, name).n_unique() and n_classes > 1
    ]
    if copies:
        notes.append(f"Left out, because they say the true class in other words: {', '.join(copies)}.")
    return frame.drop(copies)
