"""Readers of the systems that own values: each implements `Verifier` and knows no flow."""
