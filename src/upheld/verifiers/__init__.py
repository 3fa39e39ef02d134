"""Readers of the systems that own values: each implements `Verifier` and knows no flow.

What one answers is `Agreed`, `Changed` with the value, or `Unavailable` with a reason. `reading` and `verifier` make
one of a function; `HttpJson`, `Sql`, `FileAnchor` and `ManifestVersion` read a service, a database, cited files, and
versions.
"""

from __future__ import annotations

from upheld.verification import Agreed, Asked, Changed, Reply, Unavailable
from upheld.verifiers.files import FileAnchor
from upheld.verifiers.function import reading, verifier
from upheld.verifiers.http_json import HttpJson
from upheld.verifiers.manifests import ManifestVersion
from upheld.verifiers.sql import Sql

__all__ = [
    "Agreed",
    "Asked",
    "Changed",
    "FileAnchor",
    "HttpJson",
    "ManifestVersion",
    "Reply",
    "Sql",
    "Unavailable",
    "reading",
    "verifier",
]
