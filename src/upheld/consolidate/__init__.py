"""What a consolidation covers, what it may say of its inputs, and where it may be said. It writes nothing.

    compress    each sentence stands on words of the inputs, to the letter, and says nothing beyond them
    infer       each guess stands on words of two inputs or more; it is a hypothesis, and is never served as settled

What comes out is never wider than what went in: it has the scope that all inputs have, holds only where all of them
hold, ends when the first of them ends, and is as sure and as trusted as the least sure and least trusted of them
(essay 002: every output names its inputs; compression asserts nothing that they did not).
"""

from __future__ import annotations

from upheld.consolidate.beside import held, known, others
from upheld.consolidate.checks import MOST_QUOTES, Checked, checked
from upheld.consolidate.covering import KIND, Asked, Coverage, asked, covered, formers, grounds, moved, named
from upheld.consolidate.proposal import LeftOut, Proposal, Staleness
from upheld.consolidate.sentences import spans, units
from upheld.consolidate.terms import Held, Terms, terms

__all__ = [
    "KIND",
    "MOST_QUOTES",
    "Asked",
    "Checked",
    "Coverage",
    "Held",
    "LeftOut",
    "Proposal",
    "Staleness",
    "Terms",
    "asked",
    "checked",
    "covered",
    "formers",
    "grounds",
    "held",
    "known",
    "moved",
    "named",
    "others",
    "spans",
    "terms",
    "units",
]
