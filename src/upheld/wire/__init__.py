"""The only place where JSON is shaped: what leaves as JSON, what comes in as JSON, and what an error is outside.

What leaves has the shape of the Python objects, field by field, so `answer.upheld[0].band` is `.upheld[0].band` in
JSON too. Times are RFC 3339 in UTC with a `Z`. A line of an exported log carries `line`: "note", "link" or "event";
a line without it is a draft.

What comes in is read strictly: unknown and doubled fields, wrong types, NaN and infinity, numbers beyond 64 bits,
half surrogates and deep nesting are `Invalid`, with the name of the field.
"""

from __future__ import annotations

from upheld.wire.chart import chart
from upheld.wire.lines import draft_of, line_of
from upheld.wire.messages import message_of
from upheld.wire.outcomes import FAULT, OUTCOMES, Outcome, error_of, outcome_of
from upheld.wire.policy_diff import policy_diff
from upheld.wire.shapes import SHAPES, JsonObject, LogLine, dumps, line_object, shaped, time_text
from upheld.wire.strict import MAX_DEPTH, MAX_DIGITS, loads

__all__ = [
    "FAULT",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "OUTCOMES",
    "SHAPES",
    "JsonObject",
    "LogLine",
    "Outcome",
    "chart",
    "draft_of",
    "dumps",
    "error_of",
    "line_object",
    "line_of",
    "loads",
    "message_of",
    "outcome_of",
    "policy_diff",
    "shaped",
    "time_text",
]
