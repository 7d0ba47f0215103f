"""Pictures of a terminal, made of a real run: what is typed into tmux, and what stands there then, as SVG.

`make guides` makes those of `examples/pictures` anew, and a test compares what they show with another run. Home and
port are told as a reader would have them.
"""

from __future__ import annotations

import html
import io
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tests.e2e.command_line import ROOT, environment
from tests.e2e.guides.reader import Reader
from tests.e2e.terminal import Terminal
from tests.e2e.up.machine import Machine, machine, until

FOLDER = ROOT / "examples" / "pictures"
_HOME, _PORT = "/home/you", "127.0.0.1:6443"
_PORTS = re.compile(r"127\.0\.0\.1:\d+")
_LINES = re.compile(r'<text class="[^"]*" x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)"[^>]*>(?P<text>.*?)</text>')
_CHARACTER = 12.2
"""How wide one is in the pictures of rich."""
_VARYING = (
    (re.compile(r"-[a-z0-9]{5,10}-[a-z0-9]{5}\b|(?<=web-)[a-z0-9]{8,10}\b"), "-ID"),
    (re.compile(r"\d+(\.\d+)?( ?(ms|[smhd]))(?![\w-])"), "TIME"),
    (re.compile(r"\d\d:\d\d:\d\d"), "TIME"),
    (re.compile(r"\d+\.\d+\.\d+"), "VERSION"),
    (re.compile(r"pid \d+|\b10\.\d+\.\d+\.\d+"), "NUMBER"),
    (re.compile(r" +"), " "),
)


@dataclass(frozen=True, slots=True)
class Picture:
    name: str
    title: str
    width: int
    height: int
    typed: tuple[str, ...]
    """Commands, each when the one before has ended; the last may go on."""
    shows: str
    """What stands there when it is done: text of the last screen."""


PICTURES = (
    Picture(
        "up",
        "kctl up",
        84,
        25,
        (
            "kctl up -d --storage sqlite",
            "kubectl create deployment web --image=nginx --replicas=2",
            "kubectl wait --for=condition=Available deployment/web",
            "kctl get pods",
            "kctl tree deploy/web",
        ),
        "└─pod/web",
    ),
    Picture("watch", "kctl watch deploy,rs,pods", 84, 16, ("kctl watch deploy,rs,pods",), "Running"),
)


class Studio:
    """A machine of its own, with a home whose name is short, and a terminal on it."""

    def __init__(self, here: Machine) -> None:
        self.here = here
        self._reader = Reader(here.home, here.home / "work")

    def take(self, picture: Picture) -> str:
        """The screen, with colours."""
        path = f"{self.here.home / 'bin'}:{os.defpath}"
        more = {"PATH": path, "TERM": "screen-256color", "COLORTERM": "truecolor", "KCTL_PYTHON": sys.executable}
        terminal = Terminal(self.here.home, environment(self.here.home, more))
        terminal.start(width=picture.width, height=picture.height)
        try:
            terminal.type("cd work; PS1='$ '; clear", "Enter")
            until(lambda: terminal.text.strip() == "$")
            for command in picture.typed:
                terminal.type(command, "Enter")
                until(_Shown(terminal, f"$ {command}", picture.shows))
                if not command.startswith("kctl watch"):
                    until(lambda: terminal.text.rstrip().endswith("\n$"))
            until(lambda: picture.shows in terminal.text)
            screen = terminal.coloured
        except AssertionError:
            sys.stderr.write(terminal.text)
            raise
        finally:
            terminal.end()
        return _PORTS.sub(_PORT, screen).replace(str(self.here.home), _HOME)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A claim about what stands there: one of two texts."""

    terminal: Terminal
    one: str
    other: str

    def __call__(self) -> bool:
        text = self.terminal.text
        return self.one in text or self.other in text


@contextmanager
def studio() -> Iterator[Studio]:
    home = Path(tempfile.mkdtemp(prefix="k", dir="/tmp"))
    try:
        with machine(home) as here:
            yield Studio(here)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def svg(picture: Picture, screen: str) -> str:
    text = Text.from_ansi(screen.rstrip("\n"))
    console = Console(record=True, width=picture.width, file=io.StringIO(), color_system="truecolor")
    console.print(text, overflow="crop", no_wrap=True)
    return console.export_svg(title=picture.title, theme=MONOKAI, unique_id=picture.name)


def lines_of(drawn: str) -> list[str]:
    """What an SVG shows, as lines."""
    rows: dict[float, str] = {}
    for found in _LINES.finditer(drawn):
        if "-title" in found[0]:
            continue
        row = rows.get(float(found["y"]), "")
        column = round(float(found["x"]) / _CHARACTER)
        rows[float(found["y"])] = row.ljust(column) + html.unescape(found["text"]).replace("\xa0", " ")
    return [rows[y].rstrip() for y in sorted(rows) if rows[y].strip()]


def shape(lines: list[str]) -> list[str]:
    """Without what is another at another time."""
    shaped = []
    for line in lines:
        for pattern, word in _VARYING:
            line = pattern.sub(word, line)  # noqa: PLW2901 - it is what the line becomes
        shaped.append(line.strip())
    return shaped


def make() -> None:
    FOLDER.mkdir(exist_ok=True)
    with studio() as room:
        for picture in PICTURES:
            (FOLDER / f"{picture.name}.svg").write_text(svg(picture, room.take(picture)), encoding="utf-8")
