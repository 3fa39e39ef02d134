"""A set of changes is checked as a whole before it is written (essay 004, after TrustMem): three questions, by code.

    coverage       is what the evidence asks for written?
    preservation   does everything that still holds, and that no change speaks of, stay?
    faithfulness   does nothing that is written go beyond its evidence, in value, name or certainty?

Words are compared, not meanings: a change in other words than its evidence may be kept aside that was right. What
passes may still be wrong where the words agree; `pairs` gives a judge what is left open.
"""

from __future__ import annotations

from upheld.transition.change import Ground, Kind, Problem, Transition
from upheld.transition.covering import uncovered
from upheld.transition.faithful import unfaithful
from upheld.transition.judging import contradicted, pairs
from upheld.transition.keeping import lost

__all__ = ["Ground", "Kind", "Problem", "Transition", "contradicted", "pairs", "problems"]


def problems(transition: Transition) -> tuple[Problem, ...]:
    """Say why a set of changes may not be written; empty where nothing was found.

    >>> from upheld.note import Draft
    >>> guess = Ground(ref="m1", text="My guess is API v1 is still using this column, but I haven't confirmed it.")
    >>> fact = Draft(statement="API v1 is using this column.")
    >>> [each.kind.value for each in problems(Transition(evidence=[guess], drafts=[fact]))]
    ['faithfulness']
    >>> kept = Draft(statement="A guess: API v1 is still using this column; not confirmed.")
    >>> problems(Transition(evidence=[guess], drafts=[kept]))
    ()
    """
    return (*unfaithful(transition), *lost(transition), *uncovered(transition))
