"""Chinese, the least of it: *X在Z*, *X改到Z*, *X是Z* and a few more; anything else has no key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from upheld.keys.result import Extracted

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["extract_chinese"]

_VERBS: Final[Mapping[str, str]] = {
    "住在": "based in", "搬到": "based in", "在": "located in", "是": "is", "使用": "use", "改用": "use",
    "改到": "is", "改为": "is", "改成": "is",
}  # fmt: skip
_CLAUSE: Final = re.compile(
    r"([^，,。；;：:？?\s]{1,20}?)(?:现在|目前)?"
    r"(住在|搬到|改到|改为|改成|(?<![现正存所实])在|(?<![但还于只就])是|使用|改用)"
    r"([^，,。；;：:？?]{1,30})[。.]?"
)
_UNSURE: Final = re.compile(r"[吗不没？?别]|可能|也许|如果|应该|大概|我想|觉得|正在")
_DATE: Final = re.compile(
    r"(?:下|上|本|这)?(?:周|星期|礼拜)[一二三四五六日天]|\d{1,4}[年月日号点]|[今明后]天|[一二三四五六七八九十]{1,3}[月点]"
)
_POINTING: Final = frozenset("他 她 它 这 那 这里 那里 他们 她们 我们".split())


def extract_chinese(statement: str) -> Extracted | None:
    """The key of a plain Chinese clause without a comma, or None.

    >>> extract_chinese("会议改到周五")
    Extracted(subject='会议', attribute='date', value='周五', single=True, beside=False)
    """
    found = _CLAUSE.fullmatch(statement)
    if found is None or _UNSURE.search(statement) is not None or found[1] in _POINTING:
        return None
    subject, verb, value = found.groups()
    owner, _, attribute = subject.partition("的")
    if owner and attribute:
        return Extracted(subject=owner, attribute=attribute, value=value, single=True)
    phrase = "date" if _DATE.match(value) else _VERBS[verb]
    return Extracted(subject=subject, attribute=phrase, value=value, single=phrase != "use")
