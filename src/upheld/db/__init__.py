"""Adapters: the databases that keep the log and what is derived from it."""
