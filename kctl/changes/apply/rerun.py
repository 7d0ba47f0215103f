"""`apply --watch`: apply, then again whenever a file changes, and show what has changed in them.

Ends with Ctrl-C, as successfully as it began.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

from kctl.changes.apply.application import Applying
from kctl.changes.apply.options import ApplyOptions
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, report
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.client.errors import ClientError

_ENDINGS = (".json", ".yaml", ".yml")


async def apply_and_watch(session: Session, flags: FlagSet, options: ApplyOptions) -> int:
    """Raises KctlError for what can't be watched. What goes wrong later is said, and the next change is waited for."""
    roots = _roots(flags)
    texts = _read(roots)
    try:
        await _apply(session, flags, options)
        for _ in _changes(roots):
            now = _read(roots)
            changed = _shown(texts, now)
            if not changed:
                continue
            session.write(changed)
            texts = now
            await _apply(session, flags, options)
    except KeyboardInterrupt:
        session.write("\n" if session.is_terminal else "")
    return 0


def _roots(flags: FlagSet) -> list[Path]:
    names = [*flags.texts("filename"), *filter(None, [flags.text("kustomize")])]
    is_remote = any(name == "-" or name.startswith(("http://", "https://")) for name in names)
    if is_remote or (flags.text("kustomize") and not Path(flags.text("kustomize")).is_dir()):
        raise KctlError("--watch works with files and directories only")
    return [Path(name) for name in names]


async def _apply(session: Session, flags: FlagSet, options: ApplyOptions) -> None:
    """One round. A file that is broken now may be mended in a moment."""
    try:
        await Applying(session, flags, options).run()
    except (KctlError, APIError, ClientError) as error:
        session.say(f"{report(error)}\n")
    sys.stdout.flush()


def _changes(roots: list[Path]) -> Iterator[object]:
    from watchfiles import watch

    directories = sorted({str(root if root.is_dir() else root.parent or Path()) for root in roots})
    return watch(*directories, raise_interrupt=True, debounce=200, rust_timeout=1000, yield_on_timeout=False)


def _read(roots: list[Path]) -> dict[str, str]:
    """All that may be applied, by file."""
    found = {}
    for root in roots:
        files = root.rglob("*") if root.is_dir() else [root]
        for file in sorted(files):
            if file.is_file() and (file == root or file.suffix in _ENDINGS):
                found[str(file)] = file.read_text(errors="replace")
    return found


def _shown(before: dict[str, str], after: dict[str, str]) -> str:
    parts = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, ""), after.get(name, "")
        lines = difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), f"{name} (applied)", name, n=2
        )
        parts += [line if line.endswith("\n") else f"{line}\n" for line in lines]
    return "".join(parts)
