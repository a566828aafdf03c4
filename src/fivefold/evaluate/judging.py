"""Every view of every model, and what follows from them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError
from fivefold.evaluate.absence import ANSWERS_ONLY, CAME_FITTED, NOT_ASKED
from fivefold.evaluate.answering import why_no_probabilities
from fivefold.evaluate.bets_view import BetsView
from fivefold.evaluate.bits_view import BitsView
from fivefold.evaluate.compare import Comparison, compare_accuracy, compare_with_best, comparison_findings
from fivefold.evaluate.disagreement import find_disagreements
from fivefold.evaluate.error_estimates import PATIENCE
from fivefold.evaluate.evaluation import Evaluation
from fivefold.evaluate.finding import Finding
from fivefold.evaluate.model_views import VIEWS, ModelViews
from fivefold.evaluate.protocol import find_doubts
from fivefold.evaluate.ranking import rank_models
from fivefold.evaluate.repeated_rows import find_repeats
from fivefold.evaluate.settling import find_rows_needed
from fivefold.evaluate.slices_view import SlicesView, look_at_differences, look_at_slices
from fivefold.evaluate.training import CameFitted, Trained
from fivefold.evaluate.truth_view import look_at_truth
from fivefold.inputs.predictions import Predictions

if TYPE_CHECKING:
    from fivefold.evaluate.borders_view import BordersView


UNNAMED = "true class"
# about so many cases are asked to draw and measure the borders of four features; they get more time than a fit
# training cells, of which models such as nearest neighbours read many for each question
BORDER_PATIENCE = 0.5


@dataclass(frozen=True)
class Setting:
    """How to judge.

    Parameters
    ----------
    random_state : int
        Seed of everything random.
    target : str
        What slices call the true class.
    views : tuple of str
        The views to take; bits are always counted, for all others stand beside them.
    n_jobs : int or None
        How many fits run at the same time.
    patience : float
        How many cells the fits of a model's cross-validation may read; borders are found for models that were
        trained on half as many.
    protocol : str
        Which cases the models were trained on and which they were asked.
    """

    random_state: int = 0
    target: str = UNNAMED
    views: tuple[str, ...] = VIEWS
    n_jobs: int | None = None
    patience: float = PATIENCE
    protocol: str = ""


Origin = Trained | CameFitted | None


def evaluate_models(
    said: Sequence[Predictions],
    random_state: int = 0,
    *,
    target: str = UNNAMED,
    trained: Sequence[Trained | CameFitted] = (),
    setting: Setting | None = None,
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
    trained : sequence of Trained or CameFitted
        Where the models come from, for the views of their borders and of the truth; where that is known.
    setting : Setting, optional
        More of how to judge; instead of `random_state` and `target`.
    """
    if not said:
        raise InputError("at least one model", "none")
    if len({each.name for each in said}) < len(said):
        raise InputError("models of different names", f"{[each.name for each in said]}")
    how = setting or Setting(random_state, target)
    known = {each.predictions.name: each for each in trained}
    models = tuple(_look(each, known.get(each.name), how) for each in said)
    differences = look_at_differences(models, how.random_state) if "slices" in how.views else None
    comparisons = _compare(models)
    found = _find(models, comparisons, differences, trained, how)
    return Evaluation(
        models,
        comparisons,
        tuple(sorted(found, key=lambda each: each.importance)),
        how.random_state,
        differences,
        rank_models(models, comparisons),
        how.target if how.target != UNNAMED else "",
        how.protocol,
    )


def _find(
    models: Sequence[ModelViews],
    comparisons: Sequence[Comparison],
    differences: SlicesView | None,
    origins: Sequence[Trained | CameFitted],
    how: Setting,
) -> list[Finding]:
    """Collect all findings, view by view."""
    trained = {each.predictions.name: each for each in origins if isinstance(each, Trained)}
    learners = [model for model in models if model.name in trained]
    return [
        *find_disagreements(models, comparisons),
        *find_doubts(origins),
        _baseline(models[0]),
        *(model.bits.finding() for model in models),
        *comparison_findings([each for each in comparisons if each.view == "bits"]),
        *(model.bets.finding() for model in models if model.bets),
        *comparison_findings([each for each in comparisons if each.view == "bets"]),
        *(model.truth.finding() for model in models if model.truth),
        *(
            find_repeats(learners, next(iter(trained.values())).X)
            if learners and "truth" in how.views
            else ()
        ),
        *(find_rows_needed(models, comparisons) if "truth" in how.views else ()),
        *(model.slices.finding() for model in models if model.slices),
        *([differences.finding()] if differences else []),
        *(model.borders.finding() for model in models if model.borders),
    ]


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


def _look(said: Predictions, origin: Origin, how: Setting) -> ModelViews:
    bits = BitsView.of(said, how.random_state)
    absent = {view: NOT_ASKED for view in VIEWS if view not in how.views and view != "bits"}
    bets = slices = borders = truth = None
    if "bets" in how.views:
        bets, absent["bets"] = _bets(said, origin, how.random_state)
    if "truth" in how.views:
        truth = look_at_truth(bits, origin, how.random_state, n_jobs=how.n_jobs, patience=how.patience)
    if "slices" in how.views:
        slices, absent["slices"] = look_at_slices(
            said, how.target, how.random_state, _measures(said, bits, bets)
        )
    if "borders" in how.views:
        borders, absent["borders"] = _borders(origin, how)
    absent = {view: reason for view, reason in absent.items() if reason}
    return ModelViews(said.name, said, bits, bets, absent, slices, borders, truth)


def _measures(
    said: Predictions, bits: BitsView, bets: BetsView | None
) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Give what is known of each case, so that slices can show how all measures change inside them."""
    measures = {("bits saved", "a case"): bits.encoding.null_per_example - bits.encoding.mean_per_example}
    if bets is not None:
        reward = bets.log_reward.per_example
        measures["reward of bets on all classes", "bits a case"] = reward
        measures["probability that was given to the truth", "mean"] = np.exp2(reward) / said.n_classes
    return measures


def _bets(said: Predictions, origin: Origin, random_state: int) -> tuple[BetsView | None, str]:
    if said.probabilities is None:
        return None, why_no_probabilities(origin.model) if origin else "no probabilities were stated"
    if said.n_cases < 2:
        return None, "one case alone has no calibration"
    return BetsView.of(said, random_state), ""


def _borders(origin: Origin, how: Setting) -> tuple[BordersView | None, str]:
    if not isinstance(origin, Trained):
        return None, CAME_FITTED if origin else ANSWERS_ONLY
    limit = BORDER_PATIENCE * how.patience
    if origin.n_cells > limit:
        return None, f"it was trained on more than {limit:,.0f} cells, and its borders would take long"
    # Geometry takes a while to load, and a file of predictions does not need it.
    from fivefold.evaluate.borders_view import look_at_borders

    try:
        return look_at_borders(origin.predictions.name, origin.model, origin.X, origin.y, how.random_state)
    except (InputError, InputTypeError) as problem:
        return None, f"borders need {problem.expected}, and there is {problem.got}"


def _compare(models: Sequence[ModelViews]) -> tuple[Comparison, ...]:
    names = [model.name for model in models]
    bits = [-model.bits.encoding.mean_per_example for model in models]
    found = [
        *compare_accuracy(names, [model.right for model in models]),
        *compare_with_best("bits", names, bits, "bits a case"),
    ]
    stated = [(model.name, model.bets.log_reward.per_example) for model in models if model.bets]
    if len(stated) > 1:
        bettors, scores = zip(*stated, strict=True)
        found += compare_with_best("bets", bettors, scores, "bits a case")
    return tuple(found)
