"""The entries of the references: each public name of a package with its signature, its docstring and its members.

A reference is a guide whose text is written by hand, in topics. Below each stands a mark with the names that belong to
it, and between that and the next mark what is made here:

    <!-- entries of localplane.testing: cluster Cluster -->
    <!-- end of entries -->

`make guides` writes them; a test says whether they are current and whether a name is missing.
"""

from __future__ import annotations

import ast
import enum
import importlib
import importlib.util
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import kctl.guides

FOLDER = Path(kctl.guides.__file__).parent
PACKAGES = {
    "library-reference": "localplane.library",
    "client-reference": "localplane.client",
    "testing-reference": "localplane.testing",
}
_ENTRIES = re.compile(
    r"^(?P<mark><!-- entries of (?P<package>[\w.]+): (?P<names>[\w ]+) -->)\n.*?^(?P<end><!-- end of entries -->)$",
    re.MULTILINE | re.DOTALL,
)
_WIDTH = 110


def written(text: str) -> str:
    """The guide's text with its entries as they are now."""
    return _ENTRIES.sub(_entries, text)


def named(text: str) -> list[str]:
    return [name for found in _ENTRIES.finditer(text) for name in found["names"].split()]


def make() -> None:
    for guide in PACKAGES:
        path = FOLDER / f"{guide}.md"
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")


def _entries(found: re.Match[str]) -> str:
    package = importlib.import_module(found["package"])
    entries = "\n".join(_entry(package.__name__, name, getattr(package, name)) for name in found["names"].split())
    return f"{found['mark']}\n\n{entries}\n{found['end']}"


def _entry(package: str, name: str, value: Any) -> str:
    lines = [f"### `{name}`", ""]
    if isinstance(value, type) or callable(value):
        lines += ["```text", _signature(name, value), "```", ""]
    lines += [documented(package, name, value), ""]
    if isinstance(value, type):
        members = list(_members(value))
        lines += [*members, ""] if members else []
    return "\n".join(lines)


def documented(package: str, name: str, value: Any) -> str:
    """Its own docstring, and no base's; of a constant what stands below it."""
    if isinstance(value, type) or inspect.isfunction(value):
        text = value.__doc__ or ""
        if isinstance(value, type) and text.startswith(f"{value.__name__}("):
            return ""  # which dataclasses make up
        return _prose(text)
    return _prose(_below(package, name))


def _prose(text: str) -> str:
    return inspect.cleandoc(text)


def _below(package: str, name: str) -> str:
    """The text below an assignment, in the module that a package has the name from."""
    for module in (package, *_imports(package, name)):
        source = importlib.util.find_spec(module)
        assert source is not None
        assert source.origin is not None
        statements = ast.parse(Path(source.origin).read_text(encoding="utf-8")).body
        for statement, after in itertools.pairwise(statements):
            is_it = isinstance(statement, ast.AnnAssign) and ast.unparse(statement.target) == name
            if is_it and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                return str(after.value.value)
    return ""


def _imports(package: str, name: str) -> Iterator[str]:
    source = importlib.util.find_spec(package)
    assert source is not None
    assert source.origin is not None
    for node in ast.walk(ast.parse(Path(source.origin).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            yield importlib.util.resolve_name(f"{'.' * node.level}{node.module}", package)


def _signature(name: str, value: Any) -> str:
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return f"{name}: {', '.join(member.name for member in value)}"
    if isinstance(value, type):
        with suppress(TypeError):  # nothing is called so; a record knows its own parameters from its first call on
            value(**{"": None})
    try:
        signature = inspect.signature(value)
    except ValueError:
        return name
    if isinstance(value, type) and getattr(value, "_is_protocol", False):
        return f"{name}: a protocol"
    parameters = [_told(parameter) for parameter in signature.parameters.values() if parameter.name != "self"]
    marks = _with_marks(list(signature.parameters.values()), parameters)
    returns = (
        ""
        if isinstance(value, type) or signature.return_annotation in (inspect.Signature.empty, "None")
        else (f" -> {_type(signature.return_annotation)}")
    )
    line = f"{name}({', '.join(marks)}){returns}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {mark}," for mark in marks), f"){returns}"])


def _with_marks(parameters: list[inspect.Parameter], told: list[str]) -> list[str]:
    kept = [parameter for parameter in parameters if parameter.name != "self"]
    marks, keyword_only = [], False
    for parameter, text in zip(kept, told, strict=True):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            keyword_only = True
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not keyword_only:
            marks.append("*")
            keyword_only = True
        marks.append(text)
    return marks


def _told(parameter: inspect.Parameter) -> str:
    kind = parameter.kind
    star = "*" if kind is kind.VAR_POSITIONAL else "**" if kind is kind.VAR_KEYWORD else ""
    text = f"{star}{parameter.name}"
    if parameter.annotation is not inspect.Parameter.empty:
        text += f": {_type(parameter.annotation)}"
    if parameter.default is not inspect.Parameter.empty:
        text += f" = {_default(parameter.default)}"
    return text


def _type(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text)


def _default(value: Any) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    text = repr(value)
    return "..." if text.startswith("<") or len(text) > 40 or " at 0x" in text else text


def _members(kind: type) -> Iterator[str]:
    """Methods and properties that it has itself, or from a class of ours, by name."""
    if issubclass(kind, enum.Enum):
        return
    seen: set[str] = set()
    for owner in kind.__mro__:
        if not owner.__module__.startswith("localplane"):
            continue
        for name, value in vars(owner).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            if (line := _member(name, value)) is not None:
                yield line


def _member(name: str, value: Any) -> str | None:
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    if isinstance(value, property | cached_property):
        function = value.fget if isinstance(value, property) else value.func
        title = f"`{name}`"
    elif inspect.isfunction(value):
        function = value
        title = f"`{_method(name, value)}`"
    else:
        return None
    text = " ".join(_prose((function.__doc__ if function else "") or "").split())
    line = f"- {title}: {text}" if text else f"- {title}"
    return textwrap.fill(line, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _method(name: str, function: Any) -> str:
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name not in ("self", "cls")]
    told = [each.name if each.default is inspect.Parameter.empty else f"{each.name}=" for each in parameters]
    stars = [
        f"*{text}" if each.kind is inspect.Parameter.VAR_POSITIONAL else text
        for each, text in zip(parameters, told, strict=True)
    ]
    return f"{'await ' if inspect.iscoroutinefunction(function) else ''}{name}({', '.join(stars)})"
