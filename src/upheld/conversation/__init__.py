"""What is said in a conversation, read without a model: plain statements, their times, their conditions, their echoes.

Nothing here is believed. What is found is a proposal with the place where it was said; `remember` decides.
"""

from __future__ import annotations

from upheld.conversation.message import Kept, Message, Offer, Role

__all__ = ["Kept", "Message", "Offer", "Role"]
