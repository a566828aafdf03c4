"""The sentences that an estimate must not be read without."""

from __future__ import annotations

from fivefold.truth.judging import Judged

RESUBSTITUTION = (
    "Resubstitution asks the learner about the very cases it has learnt from: it says how well they are "
    "remembered, not how new cases will fare."
)
NO_INTERVAL = (
    "This is one data set: a rule learnt from another sample of the same size may err much more or less, and the "
    'spread of the folds does not show it. For an interval ask for method="cv" with interval="nested-cv".'
)
ONE_SPLIT = "Another random split would give another number; the interval holds for this one fitted rule."


def about_answers(judged: Judged) -> list[str]:
    """Say what happened that the learner's own answers do not show."""
    said = []
    silent, lonely = judged.n_silent(), judged.n_one_class()
    if silent:
        said.append(f"{_many(silent, 'answer was', 'answers were')} empty and counted as wrong.")
    if undefined := judged.n_undefined():
        said.append(
            f"{judged.measure.title} is not defined on {undefined} of {len(judged.sets)} test sets, so the "
            "estimate is not a number; larger or stratified test sets may help."
        )
    if lonely:
        said.append(
            f"{_many(lonely, 'training set', 'training sets')} of {len(judged.sets)} held cases of one class "
            "only; there the answer is that class, and the learner was not asked."
        )
    return said


def about_small_folds(smallest_class: int, n_splits: int) -> list[str]:
    """Say that some folds have no case of a class."""
    if smallest_class >= n_splits:
        return []
    return [
        f"The rarest class has {_many(smallest_class, 'case', 'cases')} for {n_splits} folds: some folds cannot "
        "show whether it is recognised."
    ]


def about_memory(resubstitution: float, out_of_bag: float) -> list[str]:
    """Say that .632 is a fixed share of the out-of-bag error where nothing is got wrong in training."""
    if resubstitution > 0 or out_of_bag == 0:
        return []
    return [
        "The learner makes no error on its own training cases, so the .632 estimate is just 0.632 times the "
        "out-of-bag error. It is then too low where the true error is large and too high where it is small; "
        "which, depends on the learning curve (in Bailey and Elkan's experiments the turn was near 20 to 25%)."
    ]


def about_duplicates(disagreement: float, out_of_bag: float, n_resamples: int) -> str:
    """Say that repeated cases teach this learner nothing."""
    return (
        f"This learner hardly notices repeated cases: with and without them its rules differ on "
        f"{100 * disagreement:.1f}% of the out-of-bag cases ({n_resamples} resamples, out-of-bag error "
        f"{100 * out_of_bag:.1f}%). The out-of-bag error is then that of about 0.632 n cases, and the "
        "weights of .632 were made for learners that do notice. Where the learning curve is steep, prefer "
        "cross-validation."
    )


def about_skipped(skipped: int, n_resamples: int) -> list[str]:
    """Say that some resamples left no case to ask."""
    if not skipped:
        return []
    return [
        f"{_many(skipped, 'resample', 'resamples')} of {n_resamples} held every case and left none to ask."
    ]


def _many(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
