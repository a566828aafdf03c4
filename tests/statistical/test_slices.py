"""The promises of the slice finder, kept in simulated data: no more false alarms than alpha, and the power due."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from fivefold.slices import Stucco, find_differences, find_errors, find_scores
from fivefold.slices.attributes import read_attributes
from fivefold.slices.contrast_search import mine_rows
from fivefold.slices.items import RowsInMemory

pytestmark = [pytest.mark.statistical, pytest.mark.slow]

# rows, columns, values of a column (None: skewed, the commonest half of the cases), share of errors
SHAPES = {
    "wide": (2500, 8, 4, 0.15),
    "few errors": (3000, 8, 4, 0.04),
    "small": (500, 8, 3, 0.2),
    "skewed": (2500, 8, None, 0.1),
}
METHODS = {
    "layered": {},
    "westfall-young": {"correction": "westfall-young", "n_permutations": 99},
}


NOMINAL = list(range(10))


def table_of(rng, n, n_columns, n_values):
    """Draw a table of codes, all columns nominal."""
    if n_values is None:
        return np.minimum(rng.geometric(0.5, (n_columns, n)) - 1, 7).T
    return rng.integers(0, n_values, (n_columns, n)).T


def contrasts(table, groups, **options):
    return Stucco(categorical_features=list(range(table.shape[1])), **options).find(table, groups)


def false_alarms(shape, runs, seed, **options):
    rng = np.random.default_rng(seed)
    n, n_columns, n_values, rate = shape
    alarms = 0
    for _ in range(runs):
        table = table_of(rng, n, n_columns, n_values)
        agree = rng.random(n) >= rate
        alarms += len(contrasts(table, agree, random_state=rng, **options)) > 0
    return alarms


def no_more_than(alarms, runs, alpha):
    return stats.binomtest(alarms, runs, alpha, "greater").pvalue > 0.001


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", METHODS)
def test_noise_gives_any_slice_at_all_in_a_share_alpha_of_tables(method, shape):
    runs = 600
    alarms = false_alarms(SHAPES[shape], runs, 0, min_support_difference=0.0, **METHODS[method])
    assert no_more_than(alarms, runs, 0.05)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", METHODS)
def test_nor_does_a_least_difference_add_alarms(method, shape):
    runs = 250
    alarms = false_alarms(SHAPES[shape], runs, 1, min_support_difference=0.02, **METHODS[method])
    assert no_more_than(alarms, runs, 0.05)


def test_the_permutation_test_uses_up_its_alpha():
    runs = 300
    alarms = false_alarms(
        SHAPES["small"],
        runs,
        2,
        alpha=0.2,
        min_support_difference=0.0,
        correction="westfall-young",
        n_permutations=99,
    )
    assert no_more_than(alarms, runs, 0.2)
    assert alarms / runs > 0.12


def test_three_groups_of_noise():
    rng = np.random.default_rng(3)
    runs = 100
    for options in METHODS.values():
        alarms = 0
        for _ in range(runs):
            table = table_of(rng, 1500, 8, 4)
            groups = rng.choice(3, size=1500, p=[0.7, 0.2, 0.1])
            alarms += len(contrasts(table, groups, random_state=rng, **options)) > 0
        assert no_more_than(alarms, runs, 0.05)


@pytest.mark.long
def test_chi_square_alone_does_not_keep_the_promise():
    # Where few cases are expected its tail is too light. Two shapes pooled: of 2,000 tables 100 false alarms are
    # allowed, with a standard error of 9.7; the claim is that there are more by three of these. That the guard
    # keeps the promise on the same shapes is tested above.
    runs = 1000
    alarms = sum(
        false_alarms(SHAPES[shape], runs, 0, test="chi2", min_support_difference=0.0)
        for shape in ("wide", "few errors")
    )
    assert alarms > 100 + 3 * np.sqrt(2000 * 0.05 * 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["permutation", "rank"])
def test_noisy_numbers_of_a_long_tail_give_no_more_than_alpha(test):
    rng = np.random.default_rng(5)
    runs, alarms = 100, 0
    for _ in range(runs):
        X = pl.DataFrame({f"c{i}": rng.choice(list("abcd"), size=800) for i in range(6)})
        loss = rng.pareto(2.5, size=800)
        alarms += len(find_scores(X, loss, test=test, n_permutations=99, random_state=rng)) > 0
    assert no_more_than(alarms, runs, 0.05)


def table_of_numbers(rng, n):
    """Numbers, of which neighbouring quarters are asked together, beside words."""
    common = rng.normal(size=n)
    numbers = {f"x{i}": np.round(np.exp(common + rng.normal(size=n)), 2) for i in range(2)}
    return pl.DataFrame(numbers | {"z": rng.normal(size=n), "word": rng.choice(list("abc"), n)})


@pytest.mark.parametrize("what", ["scores", "differences"])
def test_neighbouring_quarters_add_no_alarms(what):
    rng = np.random.default_rng(8)
    runs, alarms = 250, 0
    options = {"summary": "none", "n_permutations": 199, "random_state": rng}
    for _ in range(runs):
        n = int(rng.choice([150, 400]))
        X = table_of_numbers(rng, n)
        if what == "scores":
            found = find_scores(X, rng.pareto(2.2, n), **options)
        else:
            first = rng.choice(["a", "b", "c"], n)
            second = np.where(rng.random(n) < 0.1, rng.choice(["a", "b", "c"], n), first)
            found = find_differences(X, first, second, **options)
        alarms += len(found) > 0
    assert no_more_than(alarms, runs, 0.05)


SCORES = {
    "two values": lambda rng, n: rng.random(n) < 0.03,
    "few of many": lambda rng, n: rng.permutation(n) < 6,
    "most at the top": lambda rng, n: rng.random(n) > 0.04,
    "mostly zero": lambda rng, n: np.where(rng.random(n) < 0.95, 0.0, rng.exponential(size=n)),
    "three values": lambda rng, n: rng.choice([0.0, 1.0, 2.0], n, p=[0.9, 0.02, 0.08]),
    "counts": lambda rng, n: rng.poisson(0.15, n),
    "no mean": lambda rng, n: rng.standard_cauchy(n),
}


def rank_alarms(kind, runs, seed):
    rng = np.random.default_rng(seed)
    alarms = 0
    for _ in range(runs):
        n, k = int(rng.choice([300, 1000])), int(rng.integers(2, 6))
        shares = rng.dirichlet(np.full(k, 2.0), 6)
        table = np.column_stack([rng.choice(k, n, p=row) for row in shares])
        options = {"test": "rank", "summary": "none", "categorical_features": list(range(6))}
        alarms += len(find_scores(table, SCORES[kind](rng, n) * 1.0, **options)) > 0
    return alarms


@pytest.mark.parametrize("kind", SCORES)
def test_ranks_of_any_law_give_no_more_than_alpha(kind):
    # the normal law alone: 20 to 85 % on those with most cases at one value
    assert no_more_than(rank_alarms(kind, 300, 7), 300, 0.05)


# numbers around 0, the same for all cases but for a factor
CENTRED = {
    "normal": lambda rng, n: rng.normal(size=n),
    "laplace": lambda rng, n: rng.laplace(size=n),
    "t of 3": lambda rng, n: rng.standard_t(3, size=n),
    "uniform": lambda rng, n: rng.random(n) - 0.5,
    "two values": lambda rng, n: rng.choice([-1.0, 1.0], n),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1,
    "log-normal": lambda rng, n: rng.lognormal(size=n) - np.exp(0.5),
}


def table_beside(rng, n, share):
    """Draw a table whose first column has one value in such a share of the cases."""
    kind = np.where(rng.random(n) < share, 0, rng.integers(1, 5, n))
    words = {"b": rng.choice(list("abc"), n), "c": rng.choice(list("abcd"), n)}
    return pl.DataFrame({"kind": kind.astype(str), **words, "x": rng.random(n)}), kind == 0


def spread_alarms(law, test, shape, runs):
    """Count tables with a slice where a share of n cases varies so many times as much around the same centre."""
    rng, alarms, (n, share, factor) = np.random.default_rng(3), 0, shape
    for _ in range(runs):
        X, loud = table_beside(rng, n, share)
        scores = CENTRED[law](rng, n) * np.where(loud, factor, 1.0)
        alarms += len(find_scores(X, scores, test=test, n_permutations=199, summary="none")) > 0
    return alarms


# of ranks the centre is the median, which skewed laws do not keep
BY_SPREAD = [(law, "permutation") for law in CENTRED] + [(law, "rank") for law in list(CENTRED)[:5]]


@pytest.mark.parametrize(("law", "test"), BY_SPREAD)
def test_numbers_that_only_vary_more_are_seldom_called_different(law, test):
    # by the normal law for the slice's own variance 10 to 17 % of the first three, by ranks alone 9 to 32 %
    assert no_more_than(spread_alarms(law, test, (600, 0.2, 5), 100), 100, 0.05)


@pytest.mark.long
@pytest.mark.parametrize(
    "shape", [(200, 0.2, 3), (200, 0.5, 5), (600, 0.1, 10), (600, 0.5, 3), (3000, 0.1, 5)]
)
@pytest.mark.parametrize(("law", "test"), BY_SPREAD)
def test_so_it_is_in_other_shapes(law, test, shape):
    assert no_more_than(spread_alarms(law, test, shape, 200), 200, 0.05)


def score_plants(law, size, shift, runs):
    rng, found = np.random.default_rng(4), 0
    for _ in range(runs):
        n = 600
        X, planted = table_beside(rng, n, size / n)
        scores = CENTRED[law](rng, n)
        scores += planted * shift * scores.std() / np.sqrt(size)
        slices = find_scores(X, scores, n_permutations=199, summary="none")
        found += any(part.conditions == "kind = 0" for part in slices)
    return found / runs


@pytest.mark.long
@pytest.mark.parametrize("law", CENTRED)
def test_means_that_differ_are_found_all_the_same(law):
    # of 7 standard errors; of skewed numbers more than by the normal law, of symmetric ones in few cases fewer
    least = 0.5 if law == "log-normal" else 0.8
    assert score_plants(law, 60, 7, 100) > least


def planted(rng, n, weak_rate, rate=0.1):
    """Ten columns of four values; errors are commoner where the first two columns are 0."""
    table = table_of(rng, n, 10, 4)
    weak = (table[:, 0] == 0) & (table[:, 1] == 0)
    chance = np.where(weak, weak_rate, rate)
    return table, rng.random(n) >= chance, chance


def finds_plant(found):
    wanted = {("x0", 0), ("x1", 0)}
    return any({(term.column, term.value) for term in one.terms} == wanted for one in found)


def power(n, weak_rate, runs, seed, **options):
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(runs):
        table, agree, _ = planted(rng, n, weak_rate)
        found = contrasts(table, agree, min_support_difference=0.0, max_terms=2, random_state=rng, **options)
        hits += finds_plant(found)
    return hits / runs


def test_power_is_that_of_the_chi_square_test_at_its_level():
    n, weak_rate, runs = 4000, 0.22, 150
    told = power(n, weak_rate, runs, 6)
    # the plant is one of 720 pairs: noncentral chi-square at alpha / (4 * 720)
    share, rate = 1 / 16, 0.1 + 0.12 / 16
    shift = n * share / (1 - share) * (weak_rate - rate) ** 2 / (rate * (1 - rate))
    expected = stats.ncx2.sf(stats.chi2.isf(0.05 / (4 * 720), 1), 1, shift)
    assert 0.3 < expected < 0.98
    assert told == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / runs) + 0.08)


@pytest.mark.parametrize("method", METHODS)
def test_power_grows_with_the_number_of_cases(method):
    few, some, many = (power(n, 0.22, 40, 7, **METHODS[method]) for n in (1000, 4000, 10_000))
    assert few < some <= many
    assert many > 0.95


def test_permutations_find_at_least_as_much_as_the_layered_levels():
    # The same tables for both, whose false-alarm rates are tested above: of the tables where only one finds
    # the plant, permutations must have at least half.
    rng = np.random.default_rng(0)
    only = {"layered": 0, "westfall-young": 0}
    for _ in range(300):
        table, agree, _ = planted(rng, 4000, 0.2)
        hits = {}
        for method, options in METHODS.items():
            more = options | ({"n_permutations": 199} if options else {})
            found = contrasts(table, agree, min_support_difference=0.0, max_terms=2, random_state=rng, **more)
            hits[method] = finds_plant(found)
        if hits["layered"] != hits["westfall-young"]:
            only["layered" if hits["layered"] else "westfall-young"] += 1
    assert only["westfall-young"] >= only["layered"]
    assert only["westfall-young"] > 0


@pytest.mark.parametrize("method", METHODS)
def test_beside_a_plant_only_its_neighbours_are_reported(method):
    rng = np.random.default_rng(9)
    runs, strangers = 60, 0
    for _ in range(runs):
        table, agree, _ = planted(rng, 4000, 0.4)
        found = contrasts(table, agree, random_state=rng, **METHODS[method])
        assert finds_plant(found)
        strangers += any(not {term.column for term in one.terms} & {"x0", "x1"} for one in found)
    assert no_more_than(strangers, runs, 0.05)


@pytest.mark.parametrize("method", METHODS)
def test_intervals_cover_the_truth_of_all_reported_slices_at_once(method):
    rng = np.random.default_rng(10)
    runs, missed, reported, wrong = 150, 0, 0, 0
    for _ in range(runs):
        table, agree, chance = planted(rng, 4000, 0.45)
        found = find_errors(
            table,
            np.ones(4000, dtype=int),
            agree.astype(int),
            include_target=False,
            categorical_features=NOMINAL,
            summary="none",
            random_state=rng,
            **METHODS[method],
        )
        right = 1 - chance
        truths = np.array([right[inside].mean() - right.mean() for inside in found.mask(table).T])
        outside = [
            not one.interval[0] <= truth <= one.interval[1] for one, truth in zip(found, truths, strict=True)
        ]
        reported, wrong, missed = reported + len(found), wrong + sum(outside), missed + any(outside)
    assert reported > 2 * runs
    assert wrong / reported <= 0.05
    assert no_more_than(missed, runs, 0.05)


def test_held_back_cases_undo_the_winners_curse():
    rng = np.random.default_rng(11)
    searched, again = [], []
    for _ in range(60):
        table, agree, chance = planted(rng, 4000, 0.34)
        found = find_errors(
            table,
            np.ones(4000, dtype=int),
            agree.astype(int),
            include_target=False,
            categorical_features=NOMINAL,
            hold_back=0.5,
            summary="none",
            random_state=rng,
        )
        for one, inside in zip(found.worse(), found.worse().mask(table).T, strict=True):
            truth = chance.mean() - chance[inside].mean()
            searched.append(one.difference - truth)
            again.append(one.held_back.difference - truth)
    assert len(searched) > 50
    assert np.mean(searched) < -0.01
    assert abs(np.mean(again)) < abs(np.mean(searched)) / 3


def table_of_words_and_dates(rng, n):
    """Draw texts and times whose attributes say much the same: words in phrases, lengths, months, spans."""
    topics = [
        ["late delivery of my parcel", "please"],
        ["refund", "do not want it"],
        ["how does this work", "today"],
    ]
    topic = rng.integers(0, 3, n)
    fillers = ["and", "the", "so", "but", "again", "never", "order", "24", "price", "shop", "it", "is"]
    texts = [
        " ".join([*rng.choice(fillers, rng.integers(1, 10)), *topics[place][: rng.integers(1, 3)]])
        for place in topic
    ]
    start = np.datetime64("2024-10-01T00:00:00", "ms")
    when = start + (200 * 86_400_000 * np.sort(rng.beta(2, 1, n))).astype("timedelta64[ms]")
    return pl.DataFrame({"text": texts, "when": when, "region": rng.choice(["n", "s", "w"], n)})


def alarms_of_texts(tables, outcomes, n, method, seed):
    rng = np.random.default_rng(seed)
    alarms = 0
    for _ in range(tables):
        X = table_of_words_and_dates(rng, n)
        columns = read_attributes(X).columns
        assert len(columns) > 30
        for _ in range(outcomes):
            rate = rng.choice([0.05, 0.2, 0.5])
            rows = RowsInMemory(columns, rng.random(n) >= rate)
            options = Stucco(max_terms=2, min_support_difference=0.0, random_state=rng, **METHODS[method])
            alarms += len(mine_rows(options, rows, rows.cut_points(None)).conjunctions) > 0
    return alarms


@pytest.mark.parametrize("method", METHODS)
def test_noise_gives_no_more_slices_of_texts_and_dates(method):
    alarms = alarms_of_texts(4, 40, 800, method, 0)
    assert no_more_than(alarms, 160, 0.05)


@pytest.mark.long
@pytest.mark.parametrize("n", [300, 3_000])
@pytest.mark.parametrize("method", METHODS)
def test_noise_gives_no_more_slices_of_texts_and_dates_in_many_tables(method, n):
    alarms = alarms_of_texts(20, 20, n, method, n)
    assert no_more_than(alarms, 400, 0.05), alarms
