"""Verifies "the version of X is Y" against the manifests and lock files of a project, for coding agents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from upheld import limits
from upheld.errors import Invalid, Misconfigured, NotFound, UpheldError
from upheld.values import canonical
from upheld.verification import Asked, Changed, Reply, Unavailable
from upheld.verifiers import inside, pins
from upheld.verifiers.pins import Stated


@dataclass(frozen=True, slots=True)
class ManifestVersion:
    """A verifier of versions. The note's subject is the name of the project or of a package that it uses.

    Args:
        root: The folder of the project, or one manifest or lock file.
        files: The files that are read, relative to the folder; by default all that are known (`pins.FILES`) and there.
        source: The name that is cited; by default `versions of` the folder, or the name of the file.

    Raises:
        Misconfigured: There is no such folder or file, or a file of this name is not known.

    >>> ManifestVersion(".", files=("uv.lock",), source="the lock").source
    'the lock'
    """

    root: str | os.PathLike[str]
    files: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        named = Path(os.path.abspath(self.root))  # noqa: PTH100 (resolve() would follow a link that may be moved)
        if not named.exists():
            raise Misconfigured(f"there is no folder or file {self.root}")
        folder, files = (named, tuple(self.files) or pins.FILES) if named.is_dir() else (named.parent, (named.name,))
        if wrong := [file for file in files if not isinstance(file, str) or inside.below(file) != file]:
            raise Misconfigured(f"{wrong[0]!r} is no path below the folder")
        try:
            for file in files:
                pins.kind(file)
            called = f"versions of {named.name}" if named.is_dir() else named.name
            name = limits.name(self.source or called, "source")
        except Invalid as error:
            raise Misconfigured(str(error)) from None
        object.__setattr__(self, "root", folder)
        object.__setattr__(self, "files", files)
        object.__setattr__(self, "source", name)

    def verify(self, asked: Sequence[Asked]) -> list[Reply]:
        """One reply for each note: the version, if the files state exactly one."""
        try:
            read = self._read()
        except UpheldError as error:
            return [Unavailable(str(error)) for _ in asked]
        return [_reply(each, read) for each in asked]

    def _read(self) -> dict[str, list[Stated]]:
        """What each file that is there states. One that cannot be read might say otherwise, so it stops all."""
        found: dict[str, list[Stated]] = {}
        for file in self.files:
            try:
                raw = inside.content(Path(self.root), file, pins.limit(file))
            except NotFound:
                continue
            found[file] = pins.stated(file, raw)
        if not found:
            raise NotFound("there is no manifest here")
        return found


def _reply(asked: Asked, read: dict[str, list[Stated]]) -> Reply:
    if asked.attribute.strip().casefold() != "version":
        return Unavailable("manifests are asked for versions only")
    about = [
        (file, each)
        for file, listed in read.items()
        for each in listed
        if pins.same_name(file, each.name, asked.subject)
    ]
    if any(each.is_own for _, each in about):  # a lock is often behind on the project that it is for
        about = [(file, each) for file, each in about if each.is_own]
    versions = {canonical(each.version): each.version for _, each in about if each.version is not None}
    files = " and ".join(dict.fromkeys(file for file, _ in about))
    if not about:
        return Unavailable(f"no exact version of it is stated in {' or '.join(read)}")
    if not versions:
        return Unavailable(f"{files} leaves its version open")
    if len(versions) > 1:
        return Unavailable(f"{files} {'disagree on its version' if ' and ' in files else 'has several versions of it'}")
    [version] = versions.values()
    try:
        return Changed(limits.name(version, "the version"))
    except Invalid:
        return Unavailable(f"{files} states no usable version of it")
