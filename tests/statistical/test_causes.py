"""Planted causes: whenever the search has proven one it is shown, and first, and little beside it."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from fivefold.slices import find_errors, find_scores
from fivefold.slices.stability import measure_stability

N_COLUMNS = 8
NOMINAL = list(range(N_COLUMNS))


def draw_table(rng, n, kind):
    """Draw eight columns of codes: uniform, binary, skewed, or most of them noisy copies of an earlier one."""
    columns = []
    for place in range(N_COLUMNS):
        k = 2 if kind == "binary" else int(rng.integers(3, 6))
        weights = rng.dirichlet(np.full(k, 1.5)) if kind == "skewed" else None
        column = rng.choice(k, n, p=weights)
        if kind == "correlated" and place and rng.random() < 0.6:
            source = columns[rng.integers(0, place)]
            column = np.where(rng.random(n) < 0.7, source, rng.choice(source.max() + 1, n))
        columns.append(column)
    return np.column_stack(columns)


def holds(table, cause):
    return np.all([table[:, column] == value for column, value in cause], axis=0)


def draw_causes(rng, table, lengths):
    """Draw conjunctions that hold for 1 to 50 % of the rows, none of which says much about another."""
    causes = []
    while len(causes) < len(lengths):
        row = table[rng.integers(0, len(table))]
        columns = rng.choice(N_COLUMNS, lengths[len(causes)], replace=False)
        cause = frozenset((int(column), int(row[column])) for column in columns)
        inside = holds(table, cause)
        shared = [(inside & holds(table, other)).sum() / inside.sum() for other in causes]
        names = {column for column, _ in cause}
        apart = all(names != {column for column, _ in other} for other in causes)
        if 0.01 < inside.mean() < 0.5 and max(shared, default=0.0) < 0.5 and apart:
            causes.append(cause)
    return causes


def draw_errors(rng, table, causes, combine):
    """Draw errors of 5 to 20 % of the cases, and 12 to 35 points more inside of each cause."""
    chance = np.full(len(table), rng.uniform(0.05, 0.2))
    base = chance.copy()
    for cause in causes:
        more = rng.uniform(0.12, 0.35) * holds(table, cause)
        chance = np.maximum(chance, base + more) if combine == "worst" else np.minimum(chance + more, 0.95)
    return rng.random(len(table)) < chance


def terms(part):
    return frozenset((int(term.column[1:]), int(term.value)) for term in part.terms)


def judge(rng, n, kind, lengths, combine="worst", **options):
    """Say whether the search proved all causes, whether these are the first ones shown, and how many are shown."""
    table = draw_table(rng, n, kind)
    causes = draw_causes(rng, table, lengths)
    wrong = draw_errors(rng, table, causes, combine)
    y_true = np.zeros(n, dtype=int)
    found = find_errors(
        table, y_true, wrong.astype(int), include_target=False, categorical_features=NOMINAL, **options
    )
    shown = [terms(part) for part in found]
    proven = {*shown, *(terms(part) for part in found.explained)}
    assert bool(shown) == bool(proven)
    return set(causes) <= proven, set(causes) == set(shown[: len(causes)]), len(shown)


def rates(runs, seed, *shape, **options):
    rng = np.random.default_rng(seed)
    told = [judge(rng, *shape, **options, random_state=rng) for _ in range(runs)]
    proven = [(first, n) for all_proven, first, n in told if all_proven]
    return len(proven), sum(first for first, _ in proven), sum(n == len(shape[2]) for _, n in proven)


def at_least(hits, runs, share):
    """Do not reject a share of hits of at least this; a true share is rejected once in a thousand times."""
    return stats.binomtest(hits, runs, share, "less").pvalue > 0.001


@pytest.mark.statistical
@pytest.mark.parametrize(
    "shape", [(800, "uniform", [1]), (3000, "skewed", [2]), (6000, "binary", [3])], ids=str
)
def test_a_planted_cause_is_shown_first_and_alone(shape):
    proven, first, alone = rates(30, 0, *shape)
    assert proven >= 15
    assert at_least(first, proven, 0.9)
    assert at_least(alone, proven, 0.8)


SINGLE = [
    (n, kind, [length])
    for n, length in ((500, 1), (2000, 2), (5000, 3), (20_000, 2))
    for kind in ("uniform", "binary", "skewed", "correlated")
]


@pytest.mark.long
@pytest.mark.statistical
@pytest.mark.parametrize("shape", SINGLE, ids=str)
def test_single_causes_of_many_shapes(shape):
    proven, first, alone = rates(150, 1, *shape)
    assert at_least(first, proven, 0.9)
    assert at_least(alone, proven, 0.8)


@pytest.mark.long
@pytest.mark.statistical
@pytest.mark.parametrize("combine", ["worst", "sum"])
@pytest.mark.parametrize("lengths", [[1, 1], [2, 2], [1, 2], [1, 2, 2]], ids=str)
def test_several_causes_are_as_many(lengths, combine):
    for kind in ("uniform", "skewed", "correlated"):
        proven, first, as_many = rates(100, 2, 5000, kind, lengths, combine=combine)
        # all of them must be named: 0.9 for each
        assert at_least(first, proven, 0.9 ** len(lengths))
        assert at_least(as_many, proven, 0.8)


@pytest.mark.statistical
def test_seven_terms_that_add_up_are_about_as_many_causes():
    # where cells below a 32nd of the cases are left whole, what they hold is named again: 9 to 13 causes
    rng, n = np.random.default_rng(13), 12_000
    effects = np.array([0.16, 0.15, 0.14, 0.13, 0.12, 0.11, 0.1, 0.0])
    shown = []
    for _ in range(6):
        table = (rng.random((n, N_COLUMNS)) < 0.3).astype(int)
        wrong = rng.random(n) < 0.03 + 0.8 * (table @ effects) / effects.sum()
        options = {"include_target": False, "categorical_features": NOMINAL, "n_permutations": 99}
        shown.append(len(find_errors(table, np.zeros(n, int), wrong.astype(int), **options)))
    assert np.median(shown) <= 8


def judge_few_errors(rng, n, base, inside):
    """Say whether a pair in which fewer than five errors are expected was proven, is first, and alone."""
    while True:
        table = draw_table(rng, n, "uniform")
        (cause,) = draw_causes(rng, table, [2])
        wrong = rng.random(n) < np.where(holds(table, cause), inside, base)
        if 2 < holds(table, cause).sum() * wrong.mean() < 5:
            break
    found = find_errors(
        table, np.zeros(n, int), wrong.astype(int), include_target=False, categorical_features=NOMINAL
    )
    shown = [terms(part) for part in found]
    proven = cause in {*shown, *(terms(part) for part in found.explained)}
    return proven, shown[:1] == [cause], len(shown) == 1


@pytest.mark.statistical
@pytest.mark.parametrize("shape", [(500, 0.1, 0.7), (3000, 0.01, 0.16)], ids=str)
def test_few_cases_nearly_all_wrong_are_named_rather_than_their_parts(shape):
    # a test that needs five expected errors shows the two parts alone, in each of these tables
    rng = np.random.default_rng(10)
    judged = [judge_few_errors(rng, *shape) for _ in range(25)]
    proven = [(first, alone) for is_proven, first, alone in judged if is_proven]
    assert len(proven) >= 20
    assert at_least(sum(first for first, _ in proven), len(proven), 0.9)
    assert at_least(sum(alone for _, alone in proven), len(proven), 0.8)


def draw_people(rng, n):
    """Draw a table of numbers and words."""
    words = {f"w{place}": rng.choice(list("abcd"), n) for place in range(4)}
    return pl.DataFrame({"x": rng.normal(size=n), "t": rng.exponential(size=n), "u": rng.random(n)} | words)


SPANS = {
    "half": lambda x, rng: x < np.median(x),
    "middle": lambda x, rng: np.abs(x - np.median(x)) < np.quantile(np.abs(x - np.median(x)), 0.5),
    "cut anywhere": lambda x, rng: x > np.quantile(x, rng.uniform(0.2, 0.85)),
}


def judge_span(rng, n, span, beside):
    """Say how many causes are shown for one planted span of numbers, and what the first shares with it."""
    table = draw_people(rng, n)
    inside = SPANS[span](table["x"].to_numpy(), rng)
    if beside:
        inside &= (table["w0"] == "a").to_numpy()
    wrong = rng.random(n) < np.where(inside, 0.4 if beside else 0.22, 0.08)
    found = find_errors(table, np.zeros(n, int), wrong.astype(int), include_target=False)
    first = found.mask(table)[:, 0] if found else np.zeros(n, bool)
    return len(found), (first & inside).sum() / (first | inside).sum()


@pytest.mark.statistical
@pytest.mark.parametrize(("span", "beside"), [("half", True), ("middle", False)])
def test_a_span_of_numbers_is_one_cause_though_the_quartiles_cut_it(span, beside):
    rng = np.random.default_rng(11)
    judged = [judge_span(rng, 1500, span, beside) for _ in range(20)]
    assert at_least(sum(n == 1 for n, _ in judged), 20, 0.8)
    # one quarter of the two that were planted would share one half
    assert np.median([shared for _, shared in judged]) > 0.8


@pytest.mark.statistical
def test_whole_numbers_are_conditions_though_most_are_the_largest_and_quartiles_fall_on_them():
    # cut at the quartiles themselves, a flag that holds for most was no condition at all, and of four values, each
    # a quarter of the cases but for chance, two were taken together in two of three tables
    rng, n, hits = np.random.default_rng(14), 3000, 0
    for _ in range(20):
        table = {f"number {place}": rng.integers(0, 4, n) for place in range(4)}
        table["flag"] = (rng.random(n) < 0.9).astype(int)
        planted = (table["number 0"] == 2) & (table["number 1"] == 3)
        wrong = rng.random(n) < np.where(planted, 0.4, 0.1) + 0.3 * (table["flag"] == 0)
        found = find_errors(pl.DataFrame(table), np.zeros(n, int), wrong.astype(int), include_target=False)
        inside = {mask.tobytes() for mask in found.mask(pl.DataFrame(table)).T}
        hits += inside == {planted.tobytes(), (table["flag"] == 0).tobytes()}
    assert at_least(hits, 20, 0.8)


@pytest.mark.statistical
@pytest.mark.parametrize("usual", [100, 0])
def test_all_but_the_most_usual_number_is_one_cause_though_a_quartile_cuts_it(usual):
    # three intervals, of which the usual number is one: with the other two not taken together, two causes in half
    rng, n, alone = np.random.default_rng(15), 3000, 0
    for _ in range(20):
        number = np.where(rng.random(n) < 0.7, usual, rng.integers(1, 100, n))
        X = pl.DataFrame({"number": number, "w": rng.choice(list("abcd"), n)})
        wrong = rng.random(n) < np.where(number == usual, 0.1, 0.25)
        found = find_errors(X, np.zeros(n, int), wrong.astype(int), include_target=False)
        alone += [mask.tobytes() for mask in found.mask(X).T] == [(number != usual).tobytes()]
    assert at_least(alone, 20, 0.8)


@pytest.mark.long
@pytest.mark.statistical
@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("span", SPANS)
def test_spans_of_numbers_anywhere_are_one_cause(span, beside):
    rng = np.random.default_rng(12)
    judged = [judge_span(rng, 1500, span, beside) for _ in range(50)]
    found = [(n, shared) for n, shared in judged if n]
    assert len(found) >= 45
    assert at_least(sum(n == 1 for n, _ in found), len(found), 0.8)
    assert np.median([shared for _, shared in found]) > 0.5


def judge_beside_a_hard_class(rng, n, kind, length, hard):
    """Say whether a cause was proven, is first, and the only one that does without the hard class."""
    table = draw_table(rng, n, kind)
    (cause,) = draw_causes(rng, table, [length])
    y_true = (rng.random(n) < 0.3).astype(int)
    chance = np.where(y_true == 1, hard, 0.04) + rng.uniform(0.12, 0.3) * holds(table, cause)
    wrong = rng.random(n) < chance
    options = {"target": "y", "categorical_features": NOMINAL}
    found = find_errors(table, y_true, np.where(wrong, 1 - y_true, y_true), **options)
    without = found.deployable()
    assert [part.terms for part in found[: len(without)]] == [part.terms for part in without]
    known = [terms(part) for part in without]
    proven = cause in {*known, *(terms(part) for part in without.explained)}
    return proven, known[:1] == [cause], len(known) == 1


@pytest.mark.long
@pytest.mark.statistical
@pytest.mark.parametrize("hard", [0.2, 0.6])
@pytest.mark.parametrize(
    "shape", [(3000, "uniform", 1), (4000, "skewed", 2), (6000, "correlated", 2)], ids=str
)
def test_a_class_on_which_most_errs_hides_no_cause(shape, hard):
    rng = np.random.default_rng(8)
    judged = [judge_beside_a_hard_class(rng, *shape, hard) for _ in range(60)]
    proven = [(first, alone) for is_proven, first, alone in judged if is_proven]
    assert len(proven) >= 30
    assert at_least(sum(first for first, _ in proven), len(proven), 0.9)
    assert at_least(sum(alone for _, alone in proven), len(proven), 0.8)


@pytest.mark.long
@pytest.mark.statistical
def test_permutations_have_the_same_causes():
    options = {"correction": "westfall-young", "n_permutations": 99}
    proven, first, alone = rates(60, 3, 2500, "uniform", [2], **options)
    assert at_least(first, proven, 0.9)
    assert at_least(alone, proven, 0.8)


@pytest.mark.long
@pytest.mark.statistical
@pytest.mark.parametrize("test", ["permutation", "rank"])
def test_causes_of_high_scores(test):
    rng = np.random.default_rng(4)
    proven = first = alone = 0
    for _ in range(60):
        table = draw_table(rng, 2500, "uniform")
        (cause,) = draw_causes(rng, table, [2])
        loss = rng.gamma(2.0, size=len(table)) + rng.uniform(0.5, 1.5) * holds(table, cause)
        found = find_scores(table, loss, test=test, n_permutations=99, categorical_features=NOMINAL)
        shown = [terms(part) for part in found]
        if cause in {*shown, *(terms(part) for part in found.explained)}:
            proven, first, alone = proven + 1, first + (shown[0] == cause), alone + (len(shown) == 1)
    assert proven > 30
    assert at_least(first, proven, 0.9)
    assert at_least(alone, proven, 0.8)


def drawn_flags(rng, n, chance):
    """Draw two flags that may be causes, six columns of words that are none, and errors of such chances."""
    flags = rng.random((2, n)) < [[0.45], [0.35]]
    words = {f"w{place}": rng.choice(list("abcdef")[: 2 + place % 4], n) for place in range(6)}
    X = pl.DataFrame({name: np.where(flag, "y", "n") for name, flag in zip("ab", flags, strict=True)} | words)
    return X, np.zeros(n, int), (rng.random(n) < np.array(chance)[2 * flags[0] + flags[1]]).astype(int)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("chance", "wanted"),
    [
        ([0.02, 0.02, 0.1, 0.2], {"a = y", "a = y and b = y"}),
        ([0.05, 0.1, 0.2, 0.35], {"a = y", "b = y"}),
    ],
    ids=["b is bad within a", "b is bad"],
)
def test_what_is_bad_within_a_cause_only_is_not_blamed_on_what_it_adds(chance, wanted):
    # as dear as any pair, "a and b" gave way to "b", which does no harm elsewhere, in 25 of 60 tables
    rng, hits = np.random.default_rng(31), 0
    for _ in range(30):
        found = find_errors(*drawn_flags(rng, 5000, chance), include_target=False, n_permutations=199)
        hits += {part.conditions for part in found} == wanted
    assert at_least(hits, 30, 0.9)


@pytest.mark.statistical
@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_high_within_a_cause_only_is_named_whichever_side_names_the_cause(sign):
    # "a = n" is as good a name for the cut as "a = y", and "b = n" was named beside it in all tables
    rng, hits = np.random.default_rng(33), 0
    for _ in range(20):
        X, *_ = drawn_flags(rng, 4000, [0.0] * 4)
        a, b = (X[name].to_numpy() == "y" for name in "ab")
        loss = rng.lognormal(size=4000) + 0.5 * a + 0.8 * (a & b)
        named = {part.conditions for part in find_scores(X, sign * loss, test="rank")}
        hits += named in ({"a = n", "a = y and b = y"}, {"a = y", "a = y and b = y"})
    assert at_least(hits, 20, 0.9)


@pytest.mark.statistical
def test_where_two_of_four_cells_are_bad_these_are_named_and_not_the_good_ones():
    rng, hits = np.random.default_rng(32), 0
    for _ in range(30):
        cases = drawn_flags(rng, 3000, [0.25, 0.08, 0.08, 0.25])
        found = find_errors(*cases, include_target=False, n_permutations=199)
        hits += {part.conditions for part in found} == {"a = y and b = y", "a = n and b = n"}
    assert at_least(hits, 30, 0.9)


@pytest.mark.statistical
def test_a_pair_that_is_better_is_no_part_of_it_that_is_better_and_one_that_is_worse():
    # "a = p" (better) and "c = v" (worse) said as much, in 16 of 20 tables
    rng, hits, n = np.random.default_rng(33), 0, 3000
    for _ in range(20):
        words = {name: rng.choice(list("pqrs"), n) for name in "abde"}
        X = pl.DataFrame(words | {"c": rng.choice(list("uv"), n), "f": rng.choice(list("xyz"), n)})
        chance = np.where((X["a"] == "p") & (X["c"] == "u"), 0.05, 0.35)
        wrong = (rng.random(n) < chance).astype(int)
        found = find_errors(X, np.zeros(n, int), wrong, include_target=False, n_permutations=199)
        hits += [part.conditions for part in found] == ["a = p and c = u"]
    assert at_least(hits, 20, 0.9)


@pytest.mark.statistical
@pytest.mark.parametrize("sign", [1, -1])
def test_a_pair_of_high_numbers_is_one_cause_as_one_of_low_numbers_is(sign):
    # above average was taken for better: of a loss "a = n" and "b = n" were named instead, in all tables
    rng, hits = np.random.default_rng(17), np.zeros(2, int)
    for _ in range(12):
        flags = {name: rng.random(2000) < 0.5 for name in "abcd"}
        X = pl.DataFrame({name: np.where(flag, "y", "n") for name, flag in flags.items()})
        noise = rng.gamma(2.0, size=2000)
        pair = noise + 1.0 * (flags["a"] & flags["b"])
        sums = noise + 0.6 * flags["a"] + 0.6 * flags["b"]
        for place, (loss, wanted) in enumerate(((pair, 1), (sums, 2))):
            found = find_scores(X, sign * loss, n_permutations=99)
            named = {frozenset(term.column for term in part.terms) for part in found}
            hits[place] += named == ({frozenset("ab")} if wanted == 1 else {frozenset("a"), frozenset("b")})
    assert all(at_least(int(hit), 12, 0.8) for hit in hits)


@pytest.mark.statistical
@pytest.mark.parametrize("shape", [(1500, "skewed", [1, 2]), (4000, "binary", [1, 1, 2])], ids=str)
def test_the_intervals_of_all_that_is_proven_hold_at_once(shape):
    n, kind, lengths = shape
    rng, held = np.random.default_rng(16), []
    for _ in range(40):
        table = draw_table(rng, n, kind)
        chance = np.full(n, 0.08)
        for cause in draw_causes(rng, table, lengths):
            chance += 0.15 * holds(table, cause)
        wrong = (rng.random(n) < chance).astype(int)
        options = {"include_target": False, "categorical_features": NOMINAL, "summary": "none"}
        found = find_errors(table, np.zeros(n, int), wrong, **options)
        true = [chance.mean() - chance[inside].mean() for inside in found.mask(table).T]
        held.append(all(p.interval[0] <= t <= p.interval[1] for p, t in zip(found, true, strict=True)))
    assert at_least(sum(held), len(held), 0.95)


def expected_sizes(runs, seed, n, more, length):
    """Give, for the first cause, its difference, the shrunk one and the true one."""
    rng = np.random.default_rng(seed)
    sizes = []
    for _ in range(runs):
        table = draw_table(rng, n, "uniform")
        (cause,) = draw_causes(rng, table, [length])
        chance = 0.1 + more * holds(table, cause)
        right = rng.random(n) >= chance
        found = find_errors(
            table, np.ones(n, int), right.astype(int), include_target=False, categorical_features=NOMINAL
        )
        if found:
            inside = found.mask(table)[:, 0]
            sizes.append((found[0].difference, found[0].shrunk, chance.mean() - chance[inside].mean()))
    return np.array(sizes)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("shape", [(1500, 0.15, 2), (4000, 0.17, 3)], ids=str)
def test_the_size_to_expect_is_as_often_too_large_as_too_small(shape):
    # just strong enough to be found at times: what is found then is exaggerated; of few cases, by Pearson's
    # statistic in place of the test that was passed, the size was too large in two of three tables
    named, expected, true = expected_sizes(120, 5, *shape).T
    assert named.size > 20
    assert at_least(int((named < true).sum()), named.size, 0.7)
    assert stats.binomtest(int((expected < true).sum()), named.size, 0.5).pvalue > 0.001
    assert abs(expected.mean() / true.mean() - 1) < abs(named.mean() / true.mean() - 1)


@pytest.mark.slow
@pytest.mark.statistical
def test_the_size_to_expect_of_counts_is_as_often_too_large_as_too_small():
    # they vary more where they are larger, and had to pass a test by that, too: too large in 36 of 36 without it
    rng, n, seen = np.random.default_rng(5), 1500, []
    for _ in range(120):
        kind = rng.integers(0, 60, n)
        counts = rng.poisson(1.0, n) * np.where(kind == 0, 1.85, 1.0)
        X = pl.DataFrame({"kind": kind.astype(str), "noise": rng.choice(list("xyz"), n)})
        found = find_scores(X, counts, max_terms=1, n_permutations=99, summary="none")
        true = 0.85 * (kind != 0).mean()
        seen += [part.shrunk > true for part in found if part.conditions == "kind = 0"]
    assert len(seen) > 20
    assert stats.binomtest(sum(seen), len(seen), 0.5).pvalue > 0.001, (sum(seen), len(seen))


@pytest.mark.statistical
def test_stability_is_the_agreement_of_fresh_samples():
    # a stand-in for the search: a slice is found where the mean of its column is large
    rng, n, effects = np.random.default_rng(6), 100, np.array([0.0, 0.1, 0.2, 0.3, 0.5])

    def draw(n_cases):
        return rng.normal(effects, 1.0, (n_cases, effects.size))

    def find(cases):
        return frozenset(np.flatnonzero(cases.mean(axis=0) > 0.25).tolist())

    def agreement(first, second):
        return len(first & second) / len(first | second) if first | second else 1.0

    fresh = [agreement(find(draw(n)), find(draw(n))) for _ in range(2000)]
    told = []
    for _ in range(400):
        cases = draw(2 * n)
        told.append(measure_stability(lambda rows, cases=cases: find(cases[rows]), 2 * n, 6, n, rng).mean)
    error = np.hypot(np.std(fresh) / np.sqrt(2000), np.std(told) / np.sqrt(400))
    assert abs(np.mean(told) - np.mean(fresh)) < 3.3 * error < 0.05


@pytest.mark.statistical
def test_stability_deals_groups_as_a_whole():
    rng = np.random.default_rng(9)
    who = np.repeat(np.arange(120), 10)
    table = rng.integers(0, 3, size=(1200, N_COLUMNS))
    wrong = rng.random(1200) < 0.1 + 0.4 * (table[:, 0] == 1)
    found = find_errors(
        table,
        np.zeros(1200, int),
        wrong.astype(int),
        categorical_features=NOMINAL,
        groups=who,
        include_target=False,
    )
    told = found.stability(n_samples=4)
    assert (told.sample_size, told.drawn) == (60, "groups")
    assert "two fresh samples of 60 groups, not of 120 as here" in str(told)
    assert told.mean > 0.7
    drawn = []
    watched = replace(found, find_again=lambda places: drawn.append(places) or frozenset())
    watched.stability(n_samples=2)
    assert np.unique(np.concatenate(drawn)).tolist() == list(range(120))


@pytest.mark.parametrize("column", ["truth", "flag", "town"])
def test_a_rare_value_is_named_where_a_model_fails_on_it(column):
    """Hardly one error is expected there, and nearly all cases are: that proves more than many cases elsewhere."""
    rng = np.random.default_rng(31)
    for n_rare, n in [(69, 4000), (8, 500), (25, 20_000)]:
        rare = np.arange(n) < n_rare
        wrong = np.where(rare, rng.random(n) < 0.97, rng.random(n) < 0.004)
        truth = np.where(rare, "fraud", "ok") if column == "truth" else rng.choice(["fraud", "ok"], n)
        answers = np.where(wrong, np.where(truth == "ok", "fraud", "ok"), truth)
        towns = np.where(rare & (column == "town"), "Ulm", rng.choice([f"town {i}" for i in range(40)], n))
        flags = rare if column == "flag" else rng.random(n) < 0.5
        X = pl.DataFrame({"flag": flags, "town": towns, "x": rng.normal(size=n)})
        first = find_errors(X, truth, answers, target="truth")[0]
        assert (
            first.conditions
            == {"truth": "truth = fraud", "flag": "flag = True", "town": "town = Ulm"}[column]
        )
        assert first.difference < -0.8


@pytest.mark.statistical
def test_sizes_hardly_depend_on_the_order_of_the_rows():
    # other rows first are other permutations: by the 50 largest of 999 alone, the ends of intervals moved by up to
    # 2 % of their width, and sizes to expect by up to 15 %
    rng, n, moved = np.random.default_rng(20), 800, []
    for _ in range(20):
        table = draw_table(rng, n, "uniform")
        wrong = rng.random(n) < np.where(table[:, 0] == 0, 0.3, 0.1)
        options = {"include_target": False, "categorical_features": NOMINAL, "summary": "none"}
        order = rng.permutation(n)
        told = [
            {terms(part): part for part in find_errors(table[rows], np.zeros(n, int), wrong[rows], **options)}
            for rows in (np.arange(n), order)
        ]
        for name in told[0].keys() & told[1].keys():
            first, second = (one[name] for one in told)
            width = first.interval[1] - first.interval[0]
            changes = first.interval[0] - second.interval[0], first.shrunk - second.shrunk
            moved.append(np.abs(changes) / width)
    assert len(moved) >= 50
    assert np.all(np.max(moved, axis=0) < (0.015, 0.1))
