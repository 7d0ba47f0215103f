"""Lines of a given width, broken between words, as github.com/mitchellh/go-wordwrap breaks them."""

from __future__ import annotations

_NBSP = "\xa0"


def wrap(width: int, text: str) -> str:
    """What is broken loses the spaces there; ends of lines that were in the text stay."""
    written: list[str] = []
    current = 0
    word = spaces = ""
    for character in text:
        if character == "\n":
            if word or current + len(spaces) <= width:
                written += (spaces, word)
            written.append("\n")
            current, word, spaces = 0, "", ""
        elif character.isspace() and character != _NBSP:
            if not spaces or word:
                current += len(spaces) + len(word)
                written += (spaces, word)
                word = spaces = ""
            spaces += character
        else:
            word += character
            if current + len(word) + len(spaces) > width and len(word) < width:
                written.append("\n")
                current, spaces = 0, ""
    if word or current + len(spaces) <= width:
        written += (spaces, word)
    return "".join(written)


def indent(amount: int, text: str) -> str:
    pad = " " * amount
    return pad + text.replace("\n", f"\n{pad}")
