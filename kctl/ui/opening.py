"""The browser, led to the console by a file that only the user can read.

A link in the browser's command line could be read by everybody on this machine, and used before the browser does.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAGE = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>kctl</title>
<meta http-equiv="refresh" content="0;url={link}"><p><a href="{link}">Open the console</a></p></html>
"""


def can_show_pages() -> bool:
    """Whether there is a screen: a browser that takes over the terminal is none."""
    return sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME")
    )


@contextmanager
def leading_to(link: str) -> Iterator[str]:
    """The address of the file, which is there while this lasts."""
    with tempfile.TemporaryDirectory(prefix="kctl-ui-") as directory:
        file = Path(directory) / "console.html"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as page:
            page.write(_PAGE.format(link=link))
        yield file.as_uri()


async def show(address: str) -> None:
    """In a thread: some browsers are waited for until they are there."""
    await asyncio.to_thread(webbrowser.open, address)
