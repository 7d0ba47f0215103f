"""What lies over the table for a while: a text to read, something to choose from, a question.

A page says what it looks like and what a key makes of it. When it is `closed` it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from kctl.printers.terminal import harmless
from kctl.views.watch.cells import clipped, window

_MOST_LINES = 20_000
"""Of a text that grows. What is older goes."""
_STEP = 8
ASKING = "asking the server ..."


class Page(Protocol):
    """`hint` is the last line while it is on top."""

    title: str
    closed: bool

    @property
    def hint(self) -> str: ...

    def draw(self, width: int, height: int) -> list[str]: ...

    def press(self, key: str) -> None: ...


class Text:
    """Lines to scroll in. A text that grows has no colours."""

    def __init__(self, title: str, text: str) -> None:
        self.title = title
        self.closed = False
        self.follows = self._grows = False
        self._lines: list[str] = []
        self.fill(text)
        self._top = self._left = 0
        self._height = 1
        self._search = ""
        self._typing = False

    def fill(self, text: str, paint: Callable[[str], str] = str) -> None:
        """`paint` colours all of it, once."""
        self._lines = paint(harmless(text)).replace("\t", "    ").rstrip("\n").split("\n") if text else []

    def append(self, text: str) -> None:
        self._grows = True
        self._lines += harmless(text).replace("\t", "    ").split("\n")
        if len(self._lines) > _MOST_LINES:
            del self._lines[: len(self._lines) - _MOST_LINES]

    def draw(self, width: int, height: int) -> list[str]:
        self._height = max(1, height)
        last = max(0, len(self._lines) - self._height)
        self._top = last if self.follows else max(0, min(self._top, last))
        return [window(line, self._left, width) for line in self._lines[self._top : self._top + self._height]]

    @property
    def hint(self) -> str:
        if self._typing:
            return f"/{self._search}"
        if not self._lines:
            return f"{ASKING}  q back"
        lines = f"{self._top + 1}-{min(len(self._lines), self._top + self._height)} of {len(self._lines)}"
        return f"{lines}  ↑↓ space  / search  n next  q back"

    def press(self, key: str) -> None:
        if self._typing:
            self._type(key)
            return
        moves = {"up": -1, "k": -1, "down": 1, "j": 1, "enter": 1}
        pages = {"page-up": -1, "page-down": 1, " ": 1}
        if key in moves or key in pages:
            self._move(self._top + moves.get(key, 0) + pages.get(key, 0) * max(1, self._height - 1))
        match key:
            case "home" | "g":
                self._move(0)
            case "end" | "G":
                self._top, self.follows = len(self._lines), self._grows
            case "left":
                self._left = max(0, self._left - _STEP)
            case "right":
                self._left += _STEP
            case "/":
                self._typing, self._search = True, ""
            case "n":
                self._find(self._top + 1)
            case "q" | "escape" | "backspace":
                self.closed = True

    def _move(self, top: int) -> None:
        self._top, self.follows = max(0, top), False

    def _type(self, key: str) -> None:
        self._search, done = typed(self._search, key)
        if done:
            self._typing = False
            self._find(self._top)

    def _find(self, start: int) -> None:
        wanted = self._search.lower()
        places = (place for place in range(start, len(self._lines)) if wanted in self._lines[place].lower())
        place = next(places, None)
        if wanted and place is not None:
            self._move(place)


class Choice(NamedTuple):
    """`names` are what else it is called."""

    label: str
    value: str
    names: tuple[str, ...] = ()


class Choices:
    """Something of a list, or what was typed where `free` says that it may be anything. The list may come later."""

    def __init__(self, title: str, chosen: Callable[[str], None], *, free: bool = False) -> None:
        self.title = title
        self.closed = False
        self._all: Sequence[Choice] | None = None
        self._chosen = chosen
        self._free = free
        self._typed = ""
        self._place = 0

    def fill(self, choices: Sequence[Choice]) -> None:
        self._all = choices

    @property
    def hint(self) -> str:
        return "type to filter  ↑↓ enter  esc back" if self._all is not None else ASKING

    def draw(self, width: int, height: int) -> list[str]:
        found = self._found()
        self._place = max(0, min(self._place, len(found) - 1))
        room = max(1, height - 1)
        start = max(0, self._place - room + 1)
        shown = [
            clipped(f"{'> ' if place == self._place else '  '}{harmless(choice.label)}", width)
            for place, choice in enumerate(found[start : start + room], start=start)
        ]
        nothing = [] if self._all is None else ["  nothing matches"]
        return [clipped(f"{self.title}: {self._typed}_", width), *(shown or nothing)]

    def press(self, key: str) -> None:
        found = self._found()
        match key:
            case "up":
                self._place = max(0, self._place - 1)
            case "down":
                self._place = min(max(0, len(found) - 1), self._place + 1)
            case "page-down":
                self._place = min(max(0, len(found) - 1), self._place + 10)
            case "page-up":
                self._place = max(0, self._place - 10)
            case "escape":
                self.closed = True
            case "enter":
                self._choose(found)
            case _:
                self._typed, _ = typed(self._typed, key)
                self._place = 0

    def _choose(self, found: Sequence[Choice]) -> None:
        exact = [choice for choice in self._all or () if self._typed in (choice.value, choice.label, *choice.names)]
        if self._free and self._typed and not exact and ("," in self._typed or not found or "/" in self._typed):
            self.closed = True
            self._chosen(self._typed)
        elif found:
            self.closed = True
            self._chosen((exact or [found[self._place]])[0].value)

    def _found(self) -> list[Choice]:
        """Those that begin so come first."""
        wanted = self._typed.lower()
        found = [choice for choice in self._all or () if wanted in choice.label.lower()]
        return sorted(found, key=lambda choice: not choice.label.lower().startswith(wanted)) if wanted else found


class Question:
    """On the last line. `answered` gets what was typed; for a yes or no, it is only called for a yes."""

    def __init__(self, title: str, answered: Callable[[str], None], *, yes_or_no: bool) -> None:
        self.title = title
        self.closed = False
        self._answered = answered
        self._yes_or_no = yes_or_no
        self._typed = ""

    @property
    def hint(self) -> str:
        return f"{self.title} {'[y/N]' if self._yes_or_no else ''}{self._typed}_"

    def draw(self, width: int, height: int) -> list[str]:
        """Over whatever is there: it has no lines of its own."""
        del width, height
        return []

    def press(self, key: str) -> None:
        if self._yes_or_no:
            self.closed = True
            if key in ("y", "Y"):
                self._answered("y")
            return
        if key == "escape":
            self.closed = True
            return
        self._typed, done = typed(self._typed, key)
        if done:
            self.closed = True
            if self._typed:
                self._answered(self._typed)


def typed(text: str, key: str) -> tuple[str, bool]:
    """What a key makes of a line, and whether that ends it."""
    if key in ("enter", "escape"):
        return text, True
    if key == "backspace":
        return text[:-1], False
    if key == "clear":
        return "", False
    return (text + key, False) if len(key) == 1 else (text, False)
