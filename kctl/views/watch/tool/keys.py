"""From what a terminal sends to names of keys: `down`, `page-up`, `enter`, or the character itself."""

from __future__ import annotations

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
        self._rest = b""

    def read(self, data: bytes) -> list[str]:
        """Names and characters; keys that nobody knows are left out."""
        data = self._rest + data
        whole, self._rest = _split(data)
        text = whole.decode(errors="replace")
        if (begun := _BEGUN.search(text)) and len(begun.group()) < _LONGEST:
            self._rest = begun.group().encode() + self._rest
            text = text[: begun.start()]
        found = (_NAMES.get(key, key if key.isprintable() else "") for key in _SEQUENCE.findall(text))
        return [key for key in found if key]


def _split(data: bytes) -> tuple[bytes, bytes]:
    """Where the last character is not complete, it waits for its other bytes."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        needed = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return (data[:-back], data[-back:]) if needed > back else (data, b"")
    return data, b""
