"""The words that say that what comes next follows from what came before, and those that bind somebody."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["BINDS", "CONCLUDES"]

CONCLUDES: Final = (
    r"(?:(?:and|but) )?(?:so(?! (?:far|many|much|long|called|on|am|is|are|do|does|did|that)\b|-)"
    r"(?:,? (?:therefore|then))?|therefore|hence|thus(?! far\b)|that(?: is|'s|\u2019s) why|which means(?: that)?|"
    r"as a (?:result|consequence)(?! of\b)|because of (?:that|this)|for (?:that|this) reason|consequently)\b[,:]?\s+"
)
"""What introduces a conclusion, and is no part of it."""
BINDS: Final = re.compile(
    r"\b(?:must|mustn't|cannot|can't|can not|may not|not allowed|needs? to|have to|has to)\b", re.IGNORECASE
)
