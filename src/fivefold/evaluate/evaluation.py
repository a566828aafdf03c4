"""Whole evaluations: every view of every model, and what follows from them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fivefold.checks.options import positive_int
from fivefold.errors import InputError
from fivefold.evaluate.bets_view import BetsView
from fivefold.evaluate.bits_view import BitsView
from fivefold.evaluate.compare import Comparison, compare_with_best, comparison_findings
from fivefold.evaluate.disagreement import find_disagreements
from fivefold.evaluate.finding import Finding
from fivefold.evaluate.model_views import ANSWERS_ONLY, ModelViews
from fivefold.evaluate.slices_view import SlicesView, look_at_differences, look_at_slices
from fivefold.predictions import Predictions, predictions_from_table
from fivefold.results import make_frame

if TYPE_CHECKING:
    from fivefold.evaluate.borders_view import BordersView
    from fivefold.evaluate.training import Trained


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What was found about several models on the same cases.

    Parameters
    ----------
    models : tuple of ModelViews
        Every model, in the order given.
    comparisons : tuple of Comparison
        In each view, the best model against every other.
    findings : tuple of Finding
        What was found, in order of importance: disagreements between views first.
    random_state : int
        The seed of everything random.
    differences : SlicesView or None
        Where the two models that save most bits differ.
    """

    models: tuple[ModelViews, ...]
    comparisons: tuple[Comparison, ...]
    findings: tuple[Finding, ...]
    random_state: int
    differences: SlicesView | None = None

    @property
    def n_cases(self) -> int:
        """Number of cases."""
        return self.models[0].predictions.n_cases

    @property
    def classes(self) -> list[Any]:
        """All classes of the problem."""
        labels: list[Any] = self.models[0].predictions.classes.tolist()
        return labels

    def verdict(self) -> str:
        """Say everything that was found, one finding a line."""
        return "\n".join(finding.sentence for finding in self.findings)

    def frame(self, library: str = "polars") -> Any:
        """Give one row for each model and one column for each number."""
        return make_frame(_columns(self.models), library)

    def __str__(self) -> str:
        return (
            f"Evaluation of {len(self.models)} models on {self.n_cases} cases of {len(self.classes)} classes"
        )


def evaluate_predictions(
    table: Any,
    *,
    target: str,
    predictions: Sequence[str] | Mapping[str, str] = (),
    probabilities: Mapping[str, Any] | None = None,
    features: Sequence[str] | None = None,
    classes: object = None,
    random_state: int = 0,
) -> Evaluation:
    """Evaluate models by what they said about known cases; the models themselves are not needed.

    Parameters
    ----------
    table : pandas, polars or pyarrow table
        One row for each case.
    target : str
        Column of the true class.
    predictions : sequence of str, or mapping of model name to column
        Columns of answers: one class, several ("cat|dog"), or none (empty).
    probabilities : mapping of model name to columns, optional
        A prefix (columns ``prefix + class``), a single column (of the second of two classes), or a mapping of
        class to column.
    features : sequence of str, optional
        Columns that describe the cases; by default all that have no other role.
    classes : array-like, optional
        All classes of the problem; without it those that occur.
    random_state : int
        Seed of everything random; the same seed gives the same evaluation.

    Examples
    --------
    >>> import fivefold as ff
    >>> import polars as pl
    >>> table = pl.DataFrame({"y": ["a", "b"] * 40, "good": ["a", "b"] * 40, "lazy": ["a"] * 80})
    >>> found = ff.evaluate_predictions(table, target="y", predictions=["good", "lazy"])
    >>> print(found)
    Evaluation of 2 models on 80 cases of 2 classes
    >>> found.frame().select("model", "accuracy").rows()
    [('good', 1.0), ('lazy', 0.5)]
    """
    seed = positive_int(random_state, "random_state", least=0)
    said = predictions_from_table(
        table,
        target=target,
        predictions=predictions,
        probabilities=probabilities,
        features=features,
        classes=classes,
    )
    return evaluate_models(said, seed, target=target)


def evaluate_models(
    said: Sequence[Predictions],
    random_state: int = 0,
    *,
    target: str = "true class",
    trained: Sequence[Trained] = (),
) -> Evaluation:
    """Evaluate checked predictions on the same cases.

    Parameters
    ----------
    said : sequence of Predictions
        What each model said.
    random_state : int
        Seed of everything random.
    target : str
        What slices call the true class.
    trained : sequence of Trained
        The models themselves, for the view of their borders; where they are known.
    """
    if not said:
        raise InputError("at least one model", "none")
    if len({each.name for each in said}) < len(said):
        raise InputError("models of different names", f"{[each.name for each in said]}")
    known = {each.predictions.name: each for each in trained}
    models = tuple(_look(each, random_state, target, known.get(each.name)) for each in said)
    differences = look_at_differences(models, random_state)
    comparisons = (*_compare_bits(models), *_compare_bets(models))
    findings = (
        *find_disagreements(models, comparisons),
        _baseline(models[0]),
        *(model.bits.finding() for model in models),
        *comparison_findings([each for each in comparisons if each.view == "bits"]),
        *(model.bets.finding() for model in models if model.bets),
        *comparison_findings([each for each in comparisons if each.view == "bets"]),
        *(model.slices.finding() for model in models if model.slices),
        *([differences.finding()] if differences else []),
        *(model.borders.finding() for model in models if model.borders),
    )
    return Evaluation(models, comparisons, findings, random_state, differences)


def _baseline(model: ModelViews) -> Finding:
    """Say what a model would reach that has learned nothing but the most frequent class."""
    view = model.bits
    sentence = (
        f"Always answering {view.default_class!r} is right on {view.default_rate:.1%} of the cases "
        f"and saves no bits: without any answers the classes take {view.encoding.null:,.1f} bits."
    )
    evidence = {
        "default_class": view.default_class,
        "default_rate": view.default_rate,
        "null_bits": view.encoding.null,
    }
    return Finding("bits", (), sentence, evidence)


def _look(said: Predictions, random_state: int, target: str, trained: Trained | None) -> ModelViews:
    absent = {}
    if said.probabilities is None:
        absent["bets"] = "no probabilities were stated"
    elif said.n_cases < 2:
        absent["bets"] = "one case alone has no calibration"
    bets = None if "bets" in absent else BetsView.of(said, random_state)
    slices, why_not = look_at_slices(said, target, random_state)
    if slices is None:
        absent["slices"] = why_not
    borders, why_not = _borders(trained, random_state)
    if borders is None:
        absent["borders"] = why_not
    return ModelViews(said.name, said, BitsView.of(said, random_state), bets, absent, slices, borders)


def _borders(trained: Trained | None, random_state: int) -> tuple[BordersView | None, str]:
    if trained is None:
        return None, ANSWERS_ONLY
    # Geometry takes a while to load, and a file of predictions does not need it.
    from fivefold.evaluate.borders_view import look_at_borders

    return look_at_borders(trained.predictions.name, trained.model, trained.X, trained.y, random_state)


def _compare_bits(models: Sequence[ModelViews]) -> tuple[Comparison, ...]:
    scores = [-model.bits.encoding.mean_per_example for model in models]
    return compare_with_best("bits", [model.name for model in models], scores, "bits a case")


def _compare_bets(models: Sequence[ModelViews]) -> tuple[Comparison, ...]:
    stated = [(model.name, model.bets.log_reward.per_example) for model in models if model.bets]
    if len(stated) < 2:
        return ()
    names, scores = zip(*stated, strict=True)
    return compare_with_best("bets", names, scores, "bits a case")


def _columns(models: Sequence[ModelViews]) -> dict[str, list[Any]]:
    bets = [model.bets for model in models]
    return {
        "model": [model.name for model in models],
        "accuracy": [model.bits.accuracy for model in models],
        "bits_saved": [model.bits.saved for model in models],
        "bits_saved_se": [model.bits.standard_error for model in models],
        "null_bits": [model.bits.encoding.null for model in models],
        "coverage": [model.bits.encoding.answers.coverage for model in models],
        "mean_size": [model.bits.encoding.answers.mean_size for model in models],
        "reward": [view.reward.mean if view else None for view in bets],
        "reward_se": [view.reward.standard_error if view else None for view in bets],
        "miscalibration": [view.reliability.miscalibration if view else None for view in bets],
        "miscalibration_p": [view.reliability.floor.p_value if view else None for view in bets],
        "brier": [view.brier if view else None for view in bets],
        "auc": [view.area if view else None for view in bets],
    }
