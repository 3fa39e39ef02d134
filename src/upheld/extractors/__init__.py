"""Extractors: what reads in messages more than rules can. Each implements `upheld.messages.Extractor`."""

from __future__ import annotations

from upheld.extractors.llm import LLM

__all__ = ["LLM"]
