"""Logs of lm-evaluation-harness and Inspect, written by hand after their documented fields.

lm-evaluation-harness: docs/interface.md (--log_samples), lm_eval/evaluator.py and
lm_eval/loggers/evaluation_tracker.py, which writes log-likelihoods and targets as text. Inspect: inspect_ai.log
(EvalLog, EvalSample) and inspect_ai.scorer (Score, with the values C, I, P and N).
"""

import json
import math
import zipfile
from pathlib import Path

import polars as pl
import pytest

import fivefold as ff
from fivefold.errors import InputError

DATE = "2026-11-01T10-00-00.000001"


def choice_sample(doc_id, logs, target, choices=("A", "B", "C", "D"), **doc):
    """Write what a task of multiple choice logs."""
    best = max(range(len(logs)), key=lambda place: logs[place])
    norms = [log / len(choice) for log, choice in zip(logs, choices, strict=True)]
    return {
        "doc_id": doc_id,
        "doc": {"question": f"question {doc_id}?", "choices": list(choices), "answer": target, **doc},
        "target": str(target),
        "arguments": {
            f"gen_args_{place}": {"arg_0": f"question {doc_id}?", "arg_1": f" {choice}"}
            for place, choice in enumerate(choices)
        },
        "resps": [[[str(log), "False"]] for log in logs],
        "filtered_resps": [[str(log), "False"] for log in logs],
        "filter": "none",
        "metrics": ["acc", "acc_norm"],
        "doc_hash": f"hash{doc_id}",
        "prompt_hash": "p",
        "target_hash": "t",
        "acc": float(best == target),
        "acc_norm": float(norms.index(max(norms)) == target),
    }


def text_sample(doc_id, answer, target, right, filter="strict-match", **doc):
    """Write what a task of generation logs."""
    return {
        "doc_id": doc_id,
        "doc": {"question": f"question {doc_id}?", **doc},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": f"question {doc_id}?", "arg_1": {"until": ["\n"]}}},
        "resps": [[f"thinking ... {answer}"]],
        "filtered_resps": [answer],
        "filter": filter,
        "metrics": ["exact_match"],
        "doc_hash": f"hash{doc_id}",
        "exact_match": float(right),
    }


def write(folder, samples, task="mmlu", date=DATE):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{date}.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    return str(path)


def logs_for(place):
    return [-1.0 if place == choice else -3.0 - choice for choice in range(4)]


@pytest.fixture
def two_runs(tmp_path):
    truths = [place % 4 for place in range(40)]
    subject = ["law" if place % 3 else "math" for place in range(40)]
    first = [
        choice_sample(i, logs_for(t if i % 5 else 0), t, subject=subject[i]) for i, t in enumerate(truths)
    ]
    second = [
        choice_sample(i, logs_for(t if i % 2 else 1), t, subject=subject[i]) for i, t in enumerate(truths)
    ]
    return write(tmp_path / "out" / "small", first), write(tmp_path / "out" / "large", second[:36])


def test_runs_of_multiple_choice_are_paired_by_item(two_runs):
    runs = ff.data.read_runs(two_runs)
    assert dict(runs.predictions) == {"small": "small", "large": "large"}
    assert runs.classes == ("A", "B", "C", "D")
    assert runs.frame.height == 36
    truth = [place % 4 for place in range(36)]
    assert runs.frame["target"].to_list() == ["ABCD"[place] for place in truth]
    assert runs.frame["small"].to_list() == ["ABCD"[t if i % 5 else 0] for i, t in enumerate(truth)]
    assert runs.frame["large"].to_list() == ["ABCD"[t if i % 2 else 1] for i, t in enumerate(truth)]
    assert runs.frame["subject"].to_list()[:3] == ["math", "law", "law"]
    notes = " ".join(runs.notes)
    assert "because not in all runs: 4 of the 40 items of small." in notes
    assert "because they say the true class in other words: answer." in notes
    assert "choices" in notes
    assert "acc_norm" in notes
    assert "answer" not in runs.frame.columns


def test_the_accuracy_is_the_harness_own(two_runs):
    runs = ff.data.read_runs(two_runs)
    evaluation = ff.evaluate_predictions(
        runs.frame, target=runs.target, predictions=runs.predictions, classes=runs.classes
    )
    for model, path in zip(evaluation.models, two_runs, strict=True):
        samples = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()[:36]]
        assert model.bits.accuracy == pytest.approx(sum(s["acc"] for s in samples) / 36)


def test_probabilities_are_the_softmax_and_only_on_demand(two_runs):
    assert not ff.data.read_runs(two_runs).probabilities
    runs = ff.data.read_runs(two_runs, softmax=True)
    assert dict(runs.probabilities) == {"small": "small:", "large": "large:"}
    logs = logs_for(0)
    total = sum(math.exp(log) for log in logs)
    row = runs.frame.select(f"small:{label}" for label in "ABCD").row(0)
    assert row == pytest.approx([math.exp(log) / total for log in logs])


def test_choices_that_differ_from_item_to_item_are_told_by_their_place(tmp_path):
    samples = [
        choice_sample(0, [-1.0, -2.0], 0, ("a cat", "a dog")),
        choice_sample(1, [-2.0, -1.0, -5.0], 2, ("x", "y", "z")),
    ]
    runs = ff.data.read_runs(write(tmp_path / "m", samples))
    assert runs.classes == ("0", "1", "2")
    assert runs.frame["target"].to_list() == ["0", "2"]
    assert runs.frame["m"].to_list() == ["0", "1"]


def test_the_normalised_accuracy_divides_by_the_length(tmp_path):
    samples = [choice_sample(i, [-3.0, -4.0], 1, ("aa", "bbbb")) for i in range(4)]
    path = write(tmp_path / "m", samples)
    assert set(ff.data.read_runs(path).frame["m"]) == {"aa"}
    assert set(ff.data.read_runs(path, metric="acc_norm").frame["m"]) == {"bbbb"}


def test_answers_of_generation_with_few_labels_are_labels(tmp_path):
    answers = ["yes", "No.", " YES", "[invalid]", "perhaps", "no"]
    truth = ["yes", "no", "no", "yes", "yes", "no"]
    right = [True, True, False, False, False, True]
    samples = [
        text_sample(i, *row, filter="none") for i, row in enumerate(zip(answers, truth, right, strict=True))
    ]
    runs = ff.data.read_runs(write(tmp_path / "m", samples))
    assert runs.frame["m"].to_list() == ["yes", "no", "yes", None, "(other)", "no"]
    assert runs.classes == ("no", "yes", "(other)")


def test_free_answers_are_right_or_wrong_and_the_first_filter_is_taken(tmp_path):
    samples = []
    for place in range(12):
        samples.append(text_sample(place, str(place), f"#### {place}", place % 2))
        samples.append(text_sample(place, str(place), f"#### {place}", True, "flexible-extract"))
    path = write(tmp_path / "m", samples, "gsm8k")
    runs = ff.data.read_runs(path)
    assert runs.frame["m"].to_list() == ["wrong", "right"] * 6
    assert set(runs.frame["target"]) == {"right"}
    assert any("flexible-extract" in note for note in runs.notes)
    assert set(ff.data.read_runs(path, filter="flexible-extract").frame["m"]) == {"right"}
    with pytest.raises(InputError, match="did you mean 'strict-match'"):
        ff.data.read_runs(path, filter="strict-mach")


def test_several_tasks_of_a_run_are_told_apart_and_two_logs_of_a_task_are_two_runs(tmp_path):
    sample = [choice_sample(i, logs_for(0), 0) for i in range(3)]
    write(tmp_path / "m", sample, "law")
    write(tmp_path / "m", sample, "math")
    runs = ff.data.read_runs(str(tmp_path / "m" / "samples_*.jsonl"))
    assert runs.frame["task"].to_list() == ["law"] * 3 + ["math"] * 3
    write(tmp_path / "m", sample, "law", "2026-11-02T10-00-00")
    again = ff.data.read_runs(str(tmp_path / "m" / "samples_law*.jsonl"))
    assert list(again.predictions) == [f"m {DATE}", "m 2026-11-02T10-00-00"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"doc_hash": "other"}, "the same document under each id"),
        ({"target": "3"}, "the same document under each id"),
        ({"doc_id": 99}, "items that all runs have"),
    ],
)
def test_runs_of_other_documents_are_refused(tmp_path, change, message):
    sample = choice_sample(0, logs_for(0), 0)
    paths = [write(tmp_path / "a", [sample]), write(tmp_path / "b", [sample | change])]
    with pytest.raises(InputError, match=message):
        ff.data.read_runs(paths)


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"question": "?"}, "a metric that says right or wrong"),
        ({"acc": 1, "target": "x"}, "a field 'doc_id'"),
        (
            {"acc": 0.5, "doc_id": 1, "target": "x"},
            "a metric that says right or wrong.*; got acc 0.5 .line 1. in ",
        ),
        ({"metrics": ["acc"], "doc_id": 1, "target": "x"}, "got acc None .line 1. in "),
    ],
)
def test_other_files_are_refused(tmp_path, sample, message):
    path = write(tmp_path / "a", [sample])
    with pytest.raises(InputError, match=message):
        ff.data.read_runs(path)
    with pytest.raises(InputError, match="format to be lm-eval or inspect"):
        ff.data.read_runs(path, format="helm")


def inspect_log(model, answers, truth, epochs=1, task="boolq"):
    samples = [
        {
            "id": place,
            "epoch": epoch,
            "input": f"question {place}?",
            "choices": ["yes", "no"],
            "target": t,
            "messages": [],
            "output": {
                "model": model,
                "choices": [{"message": {"role": "assistant", "content": f"ANSWER: {a}"}}],
            },
            "scores": {"choice": {"value": "C" if a == t else "I", "answer": a, "explanation": ""}},
            "metadata": {"topic": "law" if place % 3 else "art", "tags": ["x"]},
        }
        for epoch in range(1, epochs + 1)
        for place, (a, t) in enumerate(zip(answers, truth, strict=True), 1)
    ]
    return {"version": 2, "status": "success", "eval": {"model": model, "task": task}, "samples": samples}


TRUTH = list("ABABABAB")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"samples": []}, "got no samples in log.json"),
        ({"samples": ["a"]}, "an object as sample 1 of log.json; got 'a'"),
        ({"eval": "m"}, "an object as 'eval' of log.json"),
        ({"scores": [1]}, "an object as scores of sample 1"),
        ({"scores": {"choice": "C"}}, "an object as the score in sample 1"),
        ({"metadata": "law"}, "an object as metadata of sample 1"),
        ({"id": 2}, "each item once in a log; got 2 again in sample 2 of log.json"),
    ],
)
def test_odd_logs_of_inspect_are_refused(tmp_path, changes, message):
    log = inspect_log("m", TRUTH, TRUTH)
    whole = {name: value for name, value in changes.items() if name in log}
    log["samples"][0] |= {name: value for name, value in changes.items() if name not in log}
    (tmp_path / "log.json").write_text(json.dumps(log | whole))
    with pytest.raises(InputError, match=message):
        ff.data.read_runs(tmp_path / "log.json", format="inspect")


def test_logs_without_samples_and_with_strange_arguments(tmp_path):
    with pytest.raises(InputError, match="got no samples in "):
        ff.data.read_runs(write(tmp_path / "a", []))
    sample = choice_sample(0, logs_for(0), 0) | {"arguments": [1, 2]}
    assert ff.data.read_runs(write(tmp_path / "b", [sample])).classes == ("right", "wrong")


def test_logs_of_inspect_in_json_and_as_archive(tmp_path):
    first = inspect_log("openai/gpt", list("AAABABAA"), TRUTH)
    second = inspect_log("other/model", list("ABABABBB"), TRUTH)
    second["samples"][0]["scores"] = None
    (tmp_path / "a.json").write_text(json.dumps(first), encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "b.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({k: v for k, v in second.items() if k != "samples"}))
        for sample in second["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    runs = ff.data.read_runs([tmp_path / "a.json", tmp_path / "b.eval"], format="inspect")
    assert list(runs.predictions) == ["openai/gpt", "other/model"]
    assert runs.classes == ("A", "B")
    assert runs.frame["openai/gpt"].to_list() == list("AABABAA")
    assert runs.frame["other/model"].to_list() == list("BABABBB")
    assert runs.frame["topic"].to_list()[:3] == ["law", "art", "law"]
    assert any("1 sample without a score" in note for note in runs.notes)


def test_epochs_of_an_item_belong_together(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(inspect_log("m", list("AAABABAA"), TRUTH, epochs=3)), encoding="utf-8")
    runs = ff.data.read_runs(path, format="inspect")
    assert runs.groups == "item"
    assert runs.frame["item"].n_unique() == 8
    assert runs.frame.height == 24


@pytest.mark.parametrize(
    ("value", "right"), [(1, True), (True, True), ("C", True), ("N", False), ("P", False), (0.5, False)]
)
def test_marks_of_inspect(tmp_path, value, right):
    log = inspect_log("m", TRUTH, TRUTH)
    for sample in log["samples"]:
        sample["target"] = f"free text {sample['id']}"
        sample["scores"]["choice"]["value"] = value
    path = tmp_path / "a.json"
    path.write_text(json.dumps(log), encoding="utf-8")
    runs = ff.data.read_runs(path, format="inspect")
    assert set(runs.frame["m"]) == {"right" if right else "wrong"}
    assert any("partly right" in note for note in runs.notes) == (value in ("P", 0.5))


def test_a_document_of_any_shape_is_an_attribute(tmp_path):
    samples = [
        text_sample(i, "a", f"t{i}", i % 2, meta={"source": {"year": 2000 + i}}, m=i) for i in range(5)
    ]
    frame = ff.data.read_runs(write(tmp_path / "m", samples)).frame
    assert frame["meta.source.year"].to_list() == [2000.0, 2001.0, 2002.0, 2003.0, 2004.0]
    assert frame["doc.m"].to_list() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert isinstance(frame, pl.DataFrame)
