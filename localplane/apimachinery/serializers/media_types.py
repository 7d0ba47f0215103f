"""Which form a body has and which form its answer shall have: Accept and Content-Type, read as Kubernetes reads them.

Two doors stand behind one another. For the built-in kinds a router first compares plain names (`check_route`), and what
it refuses it refuses with sentences of its own; then the endpoint weighs qualities, wildcards and transformations
(`negotiate`). Kubernetes: apiserver/pkg/endpoints/handlers/negotiation, and the libraries go-restful and goautoneg.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cmp_to_key, lru_cache

from localplane.apimachinery.errors import NotAcceptable, UnsupportedMediaType, generic
from localplane.apimachinery.groups import GroupVersion, GroupVersionKind


@dataclass(frozen=True, slots=True)
class MediaType:
    """A form that a server can read and write; `streams` if watch events can be sent in it."""

    name: str
    streams: bool = False
    pretty: bool = False


JSON = MediaType("application/json", streams=True, pretty=True)
YAML = MediaType("application/yaml")
PROTOBUF = MediaType("application/vnd.kubernetes.protobuf", streams=True)


@dataclass(frozen=True, slots=True)
class Clause:
    """One alternative of an Accept header."""

    type: str
    subtype: str
    quality: float = 1.0
    parameters: dict[str, str] = field(default_factory=dict, hash=False)

    def matches(self, media_type: MediaType) -> bool:
        kind, _, subtype = media_type.name.partition("/")
        return (self.type == kind and self.subtype in (subtype, "*")) or (self.type == "*" and self.subtype == "*")


@dataclass(frozen=True, slots=True)
class Negotiated:
    """The answer's form. `transform` is the kind that was asked for instead of the object's own."""

    media_type: MediaType
    transform: GroupVersionKind | None = None
    pretty: bool = False
    stream: str = ""
    charset: str = ""
    profile: str = ""

    @property
    def as_kind(self) -> str | None:
        return self.transform.kind if self.transform else None

    @property
    def as_group_version(self) -> GroupVersion | None:
        return self.transform.group_version if self.transform else None


Transforms = Callable[[MediaType, GroupVersionKind | None], bool]
"""Whether an endpoint can answer in a media type with a transformation, or without one."""


def no_transforms(_: MediaType, kind: GroupVersionKind | None) -> bool:
    return kind is None


_META_VERSIONS = (GroupVersion("meta.k8s.io", "v1"), GroupVersion("meta.k8s.io", "v1beta1"))


def object_transforms(*, table: bool = True, plain: Sequence[MediaType] = ()) -> Transforms:
    """What a resource can be turned into. `plain`, if given, are the only forms of the object itself.

    Kubernetes: apiserver/pkg/endpoints/handlers, RequestScope.AllowsMediaTypeTransform.
    """

    def allowed(media_type: MediaType, kind: GroupVersionKind | None) -> bool:
        if kind is None:
            return not plain or media_type in plain
        if kind.group_version not in _META_VERSIONS:
            return False
        if kind.kind == "Table":
            return table and media_type.name in (JSON.name, YAML.name)
        return kind.kind in ("PartialObjectMetadata", "PartialObjectMetadataList")

    return allowed


def negotiate(
    accept: str, supported: Sequence[MediaType], *, transforms: Transforms = no_transforms, pretty: bool = False
) -> Negotiated:
    """The first alternative, best first, that the endpoint can serve. `pretty` is what `wants_pretty` said.

    Raises NotAcceptable.
    """
    found = _first_match(accept, supported, transforms)
    if found is None:
        raise NotAcceptable.of([media_type.name for media_type in supported])
    if pretty and found.media_type.pretty and not found.pretty:
        return replace(found, pretty=True)
    return found


def negotiate_stream(
    accept: str, supported: Sequence[MediaType], *, transforms: Transforms = no_transforms
) -> Negotiated:
    """As `negotiate`, for watch events."""
    found = _first_match(accept, supported, transforms)
    if found is None or not found.media_type.streams:
        raise NotAcceptable.of(stream_names(supported))
    return found


def stream_names(supported: Sequence[MediaType]) -> list[str]:
    return [f"{media_type.name};stream=watch" for media_type in supported if media_type.streams]


def negotiate_input(content_type: str, supported: Sequence[MediaType]) -> MediaType:
    """The form of a request's body; none named is the first supported. Raises UnsupportedMediaType."""
    if not content_type:
        return supported[0]
    name = parse_content_type(content_type)
    for media_type in supported:
        if media_type.name == name:
            return media_type
    raise UnsupportedMediaType.of([media_type.name for media_type in supported])


def wants_pretty(parameter: str | None, user_agent: str) -> bool:
    """Whether a person reads the answer: the query parameter `pretty` says so, or else the client's name."""
    if parameter:
        return parameter in ("1", "t", "T", "TRUE", "true", "True")
    return user_agent.startswith(("curl", "Wget", "Mozilla/5.0"))


def check_route(accept: str, produces: Sequence[str]) -> None:
    """The router's look at Accept: names only, so a wildcard subtype is refused. Raises NotAcceptable.

    `produces` has the stream forms too, where the route has them.
    """
    names = {"*/*", *produces}
    if accept and not any(_bare_name(clause) in names for clause in accept.split(",")):
        available = ", ".join(produces)
        raise generic(406, server_message=f"406: Not Acceptable\n\nAvailable representations: {available}")


def check_route_input(content_type: str, consumes: Sequence[str]) -> None:
    """The router's look at the Content-Type of a patch, which must have one. Raises UnsupportedMediaType."""
    named = content_type or "application/octet-stream"
    if not any(_bare_name(clause) in consumes for clause in named.split(",")):
        raise generic(415, server_message="415: Unsupported Media Type")


def _bare_name(clause: str) -> str:
    return clause.partition(";")[0].strip(" ")


_CACHED_LENGTH = 512  # what real clients send; longer headers may not fill memory
_LONGEST_ACCEPT = 4096  # more alternatives than anybody has: none of them is looked at
_STABLE_SORT_LENGTH = 12  # up to here Go sorts by insertion


def parse_accept(header: str) -> tuple[Clause, ...]:
    """The alternatives of an Accept header, best first. What can't be read is left out."""
    if len(header) <= _CACHED_LENGTH:
        return _parse_accept_cached(header)
    return _parse_accept(header) if len(header) <= _LONGEST_ACCEPT else ()


def _parse_accept(header: str) -> tuple[Clause, ...]:
    clauses = [clause for part in header.split(",") if (clause := _parse_clause(part.strip(" "))) is not None]
    if len(clauses) > _STABLE_SORT_LENGTH:
        clauses.sort(key=cmp_to_key(lambda a, b: -1 if _before(a, b) else int(_before(b, a))))
        return tuple(clauses)
    for index in range(1, len(clauses)):
        while index > 0 and _before(clauses[index], clauses[index - 1]):
            clauses[index - 1], clauses[index] = clauses[index], clauses[index - 1]
            index -= 1  # noqa: PLW2901 - an insertion sort walks back: the order is not transitive, so how it sorts shows
    return tuple(clauses)


_parse_accept_cached = lru_cache(maxsize=128)(_parse_accept)


def _before(a: Clause, b: Clause) -> bool:
    return a.quality > b.quality or (a.type != "*" and b.type == "*") or (a.subtype != "*" and b.subtype == "*")


def _parse_clause(part: str) -> Clause | None:
    name, *rest = part.split(";")
    pieces = name.split("/")
    kind = pieces[0].strip(" ")
    if len(pieces) == 1 or (len(pieces) == 2 and not pieces[1]):
        return _with_parameters("*", "*", rest) if kind == "*" else None
    if len(pieces) > 3 or (len(pieces) == 3 and pieces[2]):
        return None
    return _with_parameters(kind, pieces[1].strip(" "), rest)


def _with_parameters(kind: str, subtype: str, rest: Sequence[str]) -> Clause:
    quality, parameters = 1.0, {}
    for parameter in rest:
        key, equals, value = parameter.partition("=")
        if not equals or not value or "=" in value[:-1]:
            continue
        value = value.removesuffix("=")
        if key.strip(" ") == "q":
            quality = _quality(value)
        else:
            parameters[key.strip(" ")] = value.strip(" ")
    return Clause(kind, subtype, quality, parameters)


_FLOAT = re.compile(r"[-+]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]++)?")
_LONGEST_QUALITY = 16  # RFC 9110 allows five


def _quality(text: str) -> float:
    return float(text) if len(text) <= _LONGEST_QUALITY and _FLOAT.fullmatch(text) else 0.0


def _first_match(accept: str, supported: Sequence[MediaType], transforms: Transforms) -> Negotiated | None:
    if not accept:
        return Negotiated(supported[0]) if supported else None
    for clause in parse_accept(accept):
        for media_type in supported:
            if clause.matches(media_type):
                found = _accepted(clause.parameters, media_type, transforms)
                if found is not None:
                    return found
    return None


def _accepted(parameters: dict[str, str], media_type: MediaType, transforms: Transforms) -> Negotiated | None:
    if not parameters:
        return Negotiated(media_type) if transforms(media_type, None) else None
    transform = None
    if not parameters.keys().isdisjoint(("as", "g", "v")):
        transform = GroupVersionKind(parameters.get("g", ""), parameters.get("v", ""), parameters.get("as", ""))
    stream = parameters.get("stream", "")
    if stream and (stream != "watch" or not media_type.streams):
        return None
    if not transforms(media_type, transform):
        return None
    return Negotiated(
        media_type,
        transform,
        pretty=parameters.get("pretty") == "1" and media_type.pretty,
        stream=stream,
        charset=parameters.get("charset", ""),
        profile=parameters.get("profile", ""),
    )


_WORD = r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_TYPE = re.compile(rf"[ \t\r\n]*({_WORD}(?:/{_WORD})?)[ \t\r\n]*")
_PARAMETER = re.compile(rf'[ \t\r\n]*;[ \t\r\n]*({_WORD})[ \t\r\n]*=[ \t\r\n]*({_WORD}|"(?:[^"\\\r\n]|\\.)*+")')


def parse_content_type(header: str) -> str | None:
    """The lower-case media type, or None when the header is malformed. Kubernetes: Go's mime.ParseMediaType."""
    match = _TYPE.match(header)
    if match is None or (match.end() < len(header) and header[match.end()] != ";"):
        return None
    name, position, parameters = match[1].lower(), match.end(), dict[str, str]()
    while (parameter := _PARAMETER.match(header, position)) is not None:
        key, value = parameter[1].lower(), parameter[2]
        if parameters.setdefault(key, value) != value:
            return None
        position = parameter.end()
    return name if header[position:].strip() in ("", ";") else None
