"""How many more test rows would settle which of the two best models is better?"""

from __future__ import annotations

from collections.abc import Sequence

from fivefold.evaluate.compare import Comparison
from fivefold.evaluate.finding import Finding, Importance
from fivefold.evaluate.model_views import ModelViews
from fivefold.results.wording import say_p
from fivefold.truth.paired_tests import McNemar, from_wrong
from fivefold.truth.rows_needed import RowsNeeded, rows_needed_for_difference, rows_needed_to_compare

MOST_ROWS = 10_000_000


def find_rows_needed(models: Sequence[ModelViews], comparisons: Sequence[Comparison]) -> tuple[Finding, ...]:
    """Say whether the two most accurate models are told apart, and if not, how many rows it would take."""
    if len(models) < 2:
        return ()
    first, second = sorted(models, key=lambda model: -model.bits.accuracy)[:2]
    found = from_wrong(~first.right, ~second.right)
    adjusted = _adjusted(comparisons, first.name, second.name)
    measured = (
        f"{first.name} alone is wrong on {found.only_a_wrong:,} of {found.n:,} cases, {second.name} alone on "
        f"{found.only_b_wrong:,} (McNemar's exact test, adjusted {say_p(adjusted)})"
    )
    evidence: dict[str, object] = {
        "only_first_wrong": found.only_a_wrong,
        "only_second_wrong": found.only_b_wrong,
        "adjusted_p_value": adjusted,
        "n_cases": found.n,
    }
    names = first.name, second.name
    if adjusted < 0.05:
        sentence = f"The cases suffice to call {first.name} more accurate than {second.name}: {measured}."
        return (Finding("truth", names, sentence, evidence, Importance.DETAIL),)
    rows = rows_needed_to_compare(found.only_a_wrong, found.only_b_wrong, found.n)
    in_bits = _rows_in_bits(first, second)
    sentence = (
        f"Accuracy does not tell {first.name} and {second.name}, the two best, apart: {measured}. "
        f"{_say_rows_needed(rows, found, in_bits)}"
    )
    evidence |= {"rows_needed": rows.n_rows, "rows_needed_in_bits": in_bits, "power": rows.power}
    return (Finding("truth", names, sentence, evidence, Importance.VERDICT),)


def _adjusted(comparisons: Sequence[Comparison], first: str, second: str) -> float:
    pairs = (
        each
        for each in comparisons
        if each.view == "accuracy" and {each.better, each.worse} == {first, second}
    )
    return next(pairs).p_value


def _rows_in_bits(first: ModelViews, second: ModelViews) -> int | None:
    """Find how many rows would show the difference of the bits saved; None where there is none."""
    gains = first.bits.encoding.mean_per_example - second.bits.encoding.mean_per_example
    sd = float(gains.std(ddof=1)) if gains.size > 1 else 0.0
    if sd == 0.0:
        return None
    mean = float(gains.mean())
    # a difference of rounding errors would ask for more rows than there are
    return None if abs(mean) < 1e-4 * sd else rows_needed_for_difference(mean, sd).n_rows


def _say_rows_needed(rows: RowsNeeded, found: McNemar, in_bits: int | None) -> str:
    if rows.n_rows is None:
        return "They err equally often, so these cases do not tell how many would settle it."
    if rows.n_rows > MOST_ROWS:
        return f"{MOST_ROWS:,} cases would not settle it."
    bits = f" (by bits with {in_bits:,})" if in_bits is not None and in_bits > found.n else ""
    return (
        f"If they differ by {100 * abs(found.difference):.1f} points, as here, four tests of five would show it "
        f"with about {rows.n_rows:,} cases{bits}."
    )
