"""Nodes as YAML that keeps their order and quotes, for messages and for YAML within texts.

Kubernetes: kyaml/yaml, RNode.String; vendor/go.yaml.in/yaml/v3, the emitter. Comments are not kept.
"""

from __future__ import annotations

from localplane.apimachinery.serializers.yaml_style import scalar as v2_scalar

from .node import STR, Map, Node, Scalar, Seq
from .scalars import resolve

_ANY_WIDTH = -(10**9)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0", "\x1b": "\\e"}


def emitted(node: Node) -> str:
    """A document with a line break at its end."""
    if isinstance(node, Scalar):
        return f"{_scalar(node, 0).rstrip(chr(10))}\n"
    lines: list[str] = []
    _block(node, 0, lines)
    return "\n".join(lines) + "\n"


def _block(node: Map | Seq, indent: int, lines: list[str]) -> None:
    margin = " " * indent
    if not node or node.flow:
        lines.append(margin + _flow(node))
    elif isinstance(node, Seq):
        for item in node:
            _item(item, indent, lines)
    else:
        for key, value in node.items():
            _entry(f"{margin}{_key(key)}:", value, indent, lines)


def _entry(start: str, value: Node, indent: int, lines: list[str]) -> None:
    if isinstance(value, Scalar):
        shown = _scalar(value, indent)
        lines.extend((f"{start} {shown}" if shown else start).split("\n"))
    elif not value or value.flow:
        lines.append(f"{start} {_flow(value)}")
    else:
        lines.append(start)
        _block(value, indent if isinstance(value, Seq) else indent + 2, lines)


def _item(item: Node, indent: int, lines: list[str]) -> None:
    margin = " " * indent
    if isinstance(item, Scalar):
        lines.extend(f"{margin}- {_scalar(item, indent)}".split("\n"))
        return
    inner: list[str] = []
    _block(item, indent + 2, inner)
    inner[0] = f"{margin}- {inner[0].lstrip(' ')}"
    lines.extend(inner)


def _flow(node: Node) -> str:
    if isinstance(node, Scalar):
        return _scalar(node, 0, flow=True)
    if isinstance(node, Seq):
        return f"[{', '.join(map(_flow, node))}]"
    return f"{{{', '.join(f'{_key(key)}: {_flow(value)}' for key, value in node.items())}}}"


def _key(key: str) -> str:
    return _plain(key, flow=False) if resolve(key)[0] == STR else _double(key)


def _scalar(node: Scalar, indent: int, *, flow: bool = False) -> str:
    style = node.style.removeprefix("!")
    tag = f"{node.tag} " if node.style.startswith("!") else ""
    if style == '"':
        return tag + _double(node.text)
    if style == "'":
        return tag + _single(node.text)
    if (style in ("|", ">") or "\n" in node.text) and not flow:
        return tag + _literal(node.text, indent + 2, folded=style == ">")
    if "\n" in node.text:
        return tag + _double(node.text)
    found = resolve(node.text)[0]
    if node.tag == STR and found != STR:
        return tag + _double(node.text)
    if node.tag not in ("", STR, found) and not tag:
        tag = f"{node.tag} "
    return tag + (node.text if found != STR else _plain(node.text, flow=flow))


def _plain(value: str, *, flow: bool) -> str:
    shown = v2_scalar(value, column=_ANY_WIDTH, indent=0)
    if shown.startswith('"') and not value.startswith('"') and value.isprintable():
        return value  # v2 quotes words that are no texts to it
    return _single(value) if flow and shown == value and any(mark in value for mark in ",[]{}?") else shown


def _single(value: str) -> str:
    doubled = value.replace("'", "''")
    return f"'{doubled}'"


def _double(value: str) -> str:
    return '"' + "".join(_ESCAPES.get(one) or (one if one.isprintable() else _code(one)) for one in value) + '"'


def _code(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _literal(value: str, indent: int, *, folded: bool) -> str:
    """A block of lines; in a folded one, a break between two lines of text is an empty line."""
    hint = "2" if value[:1] in (" ", "\n") else ""
    chomp = "-" if not value.endswith("\n") else "+" if value.endswith("\n\n") or value == "\n" else ""
    margin = " " * indent
    lines = value.removesuffix("\n").split("\n")
    shown: list[str] = []
    for index, line in enumerate(lines):
        if folded and index and line[:1] not in ("", " ") and lines[index - 1][:1] not in ("", " "):
            shown.append("")
        shown.append(margin + line if line else line)
    return f"{'>' if folded else '|'}{hint}{chomp}\n" + "\n".join(shown)
