"""One relational clause, literal by literal, with a few places to come back to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.kernels.judging import ratio
from fivefold.learners.foil.kernels.scoring import charge, lg
from fivefold.learners.foil.kernels.shortlist import (
    BITS,
    GAIN,
    LITERAL,
    POSITIVE,
    SIGN,
    TOTAL,
    WEAK,
    new_checkpoints,
    remember,
    take_checkpoint,
)
from fivefold.learners.foil.relational.determinate import add_determinate
from fivefold.learners.foil.relational.draft import Draft
from fivefold.learners.foil.relational.evaluating import Evaluation, Saved
from fivefold.learners.foil.relational.literal import DETERMINATE, Literal


class Growth:
    """The growth of one clause in a draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft, self.options = draft, draft.settings.options
        self.points = new_checkpoints(self.options.checkpoints)
        self.prefixes: list[list[Literal]] = []
        self.recoveries = self.options.checkpoints
        self.saved = Saved()
        self.start_info = draft.info(draft.positive, draft.total)

    def run(self) -> None:
        """Add literals until no negative binding is left, or none helps; then take the best clause seen."""
        draft = self.draft
        growing = True
        while growing and draft.positive < draft.total:
            if draft.literals:
                draft.count_originals()
                draft.relate_variables()
            found = Evaluation(draft, self.saved)
            found.run()
            self._save(found)
            if found.prefers_determinate():
                add_determinate(draft, found.determinate)
            elif found.best.used[0]:
                self._take_best(found)
            else:
                growing = self._recover()
        draft.count_originals()
        if self._saved_is_better():
            draft.replay(self.saved.literals)
            draft.count_originals()

    def _save(self, found: Evaluation) -> None:
        if not found.noted.found[0]:
            return
        whole, reals = found.noted.whole, found.noted.reals
        last = self._literal(found, whole, np.float32(reals[BITS]), 0)
        cover = int(whole[POSITIVE])
        self.saved = Saved([*self.draft.literals, last], cover, np.float32(ratio(cover, int(whole[TOTAL]))))

    def _literal(self, found: Evaluation, whole: NDArray[np.int64], bits: np.float32, weak: int) -> Literal:
        own = found.candidate(int(whole[LITERAL]))
        return Literal(own.relation, int(whole[SIGN]), list(own.args), own.other, bits, weak)

    def _take_best(self, found: Evaluation) -> None:
        draft, best = self.draft, found.best
        listed = [
            self._literal(found, best.whole[i], np.float32(best.reals[i, BITS]), int(best.whole[i, WEAK]))
            for i in range(int(best.used[0]))
        ]
        least = np.float32(self.options.fraction * best.reals[0, GAIN])
        for i, other in enumerate(listed[1:], 1):
            if best.reals[i, GAIN] >= least:
                self._remember(other, int(best.whole[i, POSITIVE]), int(best.whole[i, TOTAL]))
        literal = listed[0]
        if self._starts_anew(literal):
            own = [one for one in [*draft.literals, literal] if self._on_head(one)]
            draft.replay(own)
            return
        draft.bits = np.float32(draft.bits + charge(literal.bits, len(draft.literals) - draft.n_determinate))
        draft.weak = literal.weak
        draft.add(literal)

    def _remember(self, literal: Literal, positive: int, total: int) -> None:
        value = np.float32(
            np.float32(positive) * np.float32(self.start_info - self.draft.info(positive, total))
        )
        if remember(self.points, len(self.prefixes), value):
            self.prefixes.append([*self.draft.literals, literal])

    def _on_head(self, literal: Literal) -> bool:
        return all(v <= self.draft.arity for v in literal.args)

    def _starts_anew(self, literal: Literal) -> bool:
        """Tell whether a literal on the head alone makes what led to it pointless."""
        draft = self.draft
        return (
            literal.relation != draft.target
            and self._on_head(literal)
            and draft.n_variables > draft.arity
            and not all(one.sign == DETERMINATE for one in draft.literals)
        )

    def _recover(self) -> bool:
        if self.saved.literals or not self.points.used[0] or not self.recoveries:
            return False
        self.recoveries -= 1
        self.draft.replay(self.prefixes[take_checkpoint(self.points)])
        self.draft.count_originals()
        self.draft.relate_variables()
        return True

    def _saved_is_better(self) -> bool:
        draft, saved = self.draft, self.saved
        if not saved.literals:
            return False
        own = (np.float32(ratio(draft.original_positive, draft.original_total)), draft.original_positive)
        if (saved.accuracy, saved.cover) != own:
            return (saved.accuracy, saved.cover) > own
        return bool(_cost(saved.literals) < _cost(draft.literals))


def _cost(literals: list[Literal]) -> np.float32:
    """Give what a clause costs when it is compared with another."""
    total = np.float32(0)
    for place, literal in enumerate(literals, 1):
        total = np.float32(total + max(np.float32(float(literal.bits) - lg(float(place))), np.float32(0)))
    return total
