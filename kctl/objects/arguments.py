"""Everything that can be said about which objects are meant. Kubernetes: cli-runtime/pkg/resource, Builder.

File names with `*`, `?` and `[a-z]`, as Go matches them: hidden files too, and a backslash takes a letter as it is.

Kubernetes: expandIfFilePattern in cli-runtime/pkg/resource; Go: path/filepath, Glob.

The words after a verb: types, names, `type/name`, comma lists. Kubernetes: Builder.ResourceTypeOrNameArgs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from kctl import program
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from localplane.apimachinery.light_typing import NamedTuple, Self


class Query(NamedTuple):
    """What the verb wants beside what the user typed:

    `types_alone`: a type without a name or selector means all of its objects (get), or is an error (delete).
    `latest`: what files say is only where to look; the object is asked of the server.
    `needs_object`: objects named by type and name are fetched; without it an Info comes with its name alone.
    `flatten`: a list becomes its items.
    `keep_going`: errors are collected in `Result.errors`, not raised at once.
    `local`: no server is asked; only files are allowed.
    `typed`: what files have is read into Go's types, which there are for the built-in kinds alone.
    `validates`: a file's object without a kind or version is refused as --validate refuses it.
    """

    arguments: Sequence[str] = ()
    filenames: Sequence[str] = ()
    kustomize: str = ""
    recursive: bool = False
    label_selector: str = ""
    field_selector: str = ""
    select_all: bool = False
    all_namespaces: bool = False
    subresource: str = ""
    chunk_size: int = 0
    accept: str = "application/json"
    include_object: bool = False
    types_alone: bool = False
    latest: bool = False
    needs_object: bool = True
    flatten: bool = False
    keep_going: bool = False
    single_type: bool = False
    enforce_namespace: bool = False
    default_namespace: bool = True
    local: bool = False
    validates: bool = False
    typed: bool = False

    @classmethod
    def of(cls, flags: FlagSet, arguments: Sequence[str] | None = None) -> Self:
        """With what the flags say that most verbs share: -f -k -R -l --field-selector -A --chunk-size --subresource."""

        def text(name: str) -> str:
            return flags.text(name) if flags.known(name) else ""

        return cls(
            arguments=flags.arguments if arguments is None else arguments,
            filenames=flags.texts("filename") if flags.known("filename") else (),
            kustomize=text("kustomize"),
            recursive=flags.known("recursive") and flags.is_on("recursive"),
            label_selector=text("selector").strip(),
            field_selector=text("field-selector").strip(),
            all_namespaces=flags.known("all-namespaces") and flags.is_on("all-namespaces"),
            subresource=text("subresource"),
            chunk_size=flags.number("chunk-size") if flags.known("chunk-size") else 0,
            enforce_namespace=flags.changed("namespace") and bool(flags.text("namespace")),
        )


class BadPattern(ValueError):
    def __init__(self) -> None:
        super().__init__("syntax error in pattern")


def matching(pattern: str) -> list[str]:
    """What there is of that name, sorted within each directory. Raises BadPattern."""
    _expression(pattern)
    return _matching(pattern)


def _matching(pattern: str) -> list[str]:
    if not any(character in pattern for character in "*?[\\"):
        return [pattern] if os.path.lexists(pattern) else []
    directory, slash, name = pattern.rpartition("/")
    places = _matching(directory) if directory else ["/" if slash else "."]
    expression = _expression(name)
    found = []
    for place in places:
        try:
            names = sorted(os.listdir(place))  # noqa: PTH208 - names, not paths
        except OSError:
            continue
        start = "" if place == "." and not directory else place if place.endswith("/") else f"{place}/"
        found += [os.path.normpath(start + one) for one in names if expression.fullmatch(one)]
    return found


def _expression(pattern: str) -> re.Pattern[str]:
    parts, rest = [], pattern
    while rest:
        character, rest = rest[0], rest[1:]
        match character:
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case "[":
                part, rest = _letters(rest)
                parts.append(part)
            case "\\":
                character, rest = _letter(f"\\{rest}")
                parts.append(re.escape(character))
            case _:
                parts.append(re.escape(character))
    return re.compile("".join(parts), re.DOTALL)


def _letters(rest: str) -> tuple[str, str]:
    """A class, and what follows it."""
    negated = rest.startswith("^")
    rest = rest[1:] if negated else rest
    ranges: list[str] = []
    while not (ranges and rest.startswith("]")):
        low, rest = _letter(rest, in_class=True)
        high = low
        if rest.startswith("-"):
            high, rest = _letter(rest[1:], in_class=True)
        if low <= high:
            ranges.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            ranges.append("")
    inner = "".join(ranges)
    if not inner:
        return ("[^/]" if negated else "(?!)"), rest[1:]
    return f"[{'^/' if negated else ''}{inner}]", rest[1:]


def _letter(rest: str, *, in_class: bool = False) -> tuple[str, str]:
    if not rest or (in_class and rest[0] in "-]"):
        raise BadPattern
    if rest[0] == "\\":
        rest = rest[1:]
    if not rest or (in_class and len(rest) == 1):
        raise BadPattern
    return rest[0], rest[1:]


def _no_need() -> str:
    return (
        "there is no need to specify a resource type as a separate argument when passing arguments in resource/name "
        f"form (e.g. '{program.name()} get resource/<resource_name>' instead of "
        f"'{program.name()} get resource resource/<resource_name>'"
    )


class Words(NamedTuple):
    """Either `pairs` of type and name, or `types` with or without `names`."""

    pairs: tuple[tuple[str, str], ...] = ()
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def read(arguments: Sequence[str], expand: Callable[[str], str]) -> Words:
    """`expand` makes a list of types of a category (`all`), and leaves everything else as it is."""
    words = _one_by_one(list(arguments))
    slashes = sum("/" in word for word in words)
    if slashes:
        if slashes != len(words):
            raise KctlError(_no_need())
        return Words(pairs=tuple(_pair(word) for word in words))
    if not words:
        return Words()
    types = ",".join(expand(one) for one in words[0].split(","))
    return Words(types=_split(types), names=tuple(words[1:]))


def named(resource: str, names: Sequence[str]) -> list[str]:
    """Names of one type, each of which may say that it is of another. Kubernetes: Builder.ResourceNames."""
    return [name if "/" in name else f"{resource}/{name}" for name in names]


def has_names(arguments: Sequence[str]) -> bool:
    """Whether single objects are named, not whole types."""
    words = _one_by_one(list(arguments))
    return any("/" in word for word in words) or len(words) > 1


def _split(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split(",")))


def _one_by_one(words: list[str]) -> list[str]:
    """`cm,secret a b` is cm/a cm/b secret/a secret/b."""
    if len(words) > 1 and len(types := _split(words[0])) > 1:
        return [f"{one}/{name}" for one in types for name in words[1:]]
    return words


def _pair(word: str) -> tuple[str, str]:
    parts = word.split("/")
    if len(parts) != 2:
        raise KctlError("arguments in resource/name form may not have more than one slash")
    if not parts[0] or not parts[1] or len(_split(parts[0])) != 1:
        raise KctlError("arguments in resource/name form must have a single resource and name")
    return parts[0], parts[1]
