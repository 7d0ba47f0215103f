"""From what a terminal sends to names of keys: `down`, `page-up`, `enter`, or the character itself."""

from __future__ import annotations

import codecs
import re

_ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NAMES = {
    **{f"\x1b[{letter}": name for letter, name in _ARROWS.items()},
    **{f"\x1bO{letter}": name for letter, name in _ARROWS.items()},
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1b[7~": "home",
    "\x1b[8~": "end",
    "\x1b[3~": "delete",
    "\x1b[5~": "page-up",
    "\x1b[6~": "page-down",
    "\x1b": "escape",
    "\n": "enter",
    "\r": "enter",
    "\t": "tab",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x02": "page-up",
    "\x06": "page-down",
    "\x0c": "redraw",
    "\x15": "clear",
}
_SEQUENCE = re.compile("\x1b(?:\\[[0-9;?<]*[ -/]*[@-~]|O[A-Za-z])|.", re.DOTALL)
_BEGUN = re.compile("\x1b(?:\\[[0-9;?<]*|O)$")
_LONGEST = 64


class Keys:
    """What comes in pieces is put together: a character of several bytes, a sequence that is not over."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def read(self, data: bytes) -> list[str]:
        """Names and characters; keys that nobody knows are left out."""
        text, self._rest = self._rest + self._decoder.decode(data), ""
        if (begun := _BEGUN.search(text)) and len(begun.group()) < _LONGEST:
            text, self._rest = text[: begun.start()], begun.group()
        found = (_NAMES.get(key, key if key.isprintable() else "") for key in _SEQUENCE.findall(text))
        return [key for key in found if key]
