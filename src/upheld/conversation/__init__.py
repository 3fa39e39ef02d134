"""What is said in a conversation, read without a model: plain statements, their times, their conditions, their echoes.

Nothing here is believed. What is found is a proposal with the place where it was said; `remember` decides.
"""

from __future__ import annotations

from upheld.conversation.message import Kept, Message, Role, checked
from upheld.conversation.propose import Left, Proposal, Reading, read
from upheld.conversation.times import Times, times

__all__ = ["Kept", "Left", "Message", "Proposal", "Reading", "Role", "Times", "checked", "read", "times"]
