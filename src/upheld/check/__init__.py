"""Holds notes against documents without a store: which statements of these files do these documents contradict?"""

from __future__ import annotations

from upheld.check.compare import Checked, Contradicts, check
from upheld.check.files import Failed

__all__ = ["Checked", "Contradicts", "Failed", "check"]
