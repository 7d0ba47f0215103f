"""The questions that the list tests ask of the seed's history, and their answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from localplane.apiserver.storage.errors import (
    InvalidContinueToken,
    InvalidResourceVersion,
    ResourceVersionTooLarge,
    ResourceVersionTooOld,
    StorageError,
)
from localplane.apiserver.storage.interface import ListOptions, Match
from tests.contract.pods import selecting
from tests.contract.seed import Seed

UNSET, EXACT, NOT_OLDER_THAN = Match.UNSET, Match.EXACT, Match.NOT_OLDER_THAN

ALL = "first/bar* second/bar second/foo third/barfoo third/foo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`at` is a moment of the seed's history or a literal; `after` is a continue token's key and moment."""

    id: str
    prefix: str = "/pods/"
    at: str = ""
    match: Match = UNSET
    limit: int = 0
    select: str = ""
    after: tuple[str, str] | None = None

    def options(self, seed: Seed) -> ListOptions:
        return ListOptions(
            resource_version=seed.resource_version(self.at),
            match=self.match,
            limit=self.limit,
            continue_token=seed.token(*self.after, prefix=self.prefix) if self.after else "",
            predicate=selecting(self.select),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Question):
    """`revision` is the moment the answer must show exactly; `next_page` where it must go on; `more` that it must."""

    finds: str
    revision: str = ""
    more: bool = False
    next_page: str = ""
    remaining: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loose(Question):
    """A list that may be answered from any time: each of `finds` is an answer."""

    finds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused(Question):
    error: type[StorageError]
    message: str | None = None
    token: bool = False


def identified(question: Question) -> str:
    return question.id


PRESENT = (
    Answered(id="one namespace", prefix="/pods/first/", finds="first/bar*"),
    Answered(id="a namespace that is not there", prefix="/pods/non-existing/", finds=""),
    Answered(id="a namespace with several", prefix="/pods/second/", finds="second/bar second/foo"),
    Answered(id="everything", finds=ALL),
    Answered(id="an empty key shows the store's revision", prefix="/pods/empty", finds="", revision="now"),
    Answered(id="nothing matches", prefix="/pods/first/", select="metadata.name!=bar", finds=""),
    Answered(
        id="a limit",
        prefix="/pods/second/",
        limit=1,
        finds="second/bar",
        revision="now",
        next_page="bar\x00",
        remaining=1,
    ),
    Answered(id="one match, more may follow", select="metadata.name=barfoo", limit=1, finds="third/barfoo", more=True),
    Answered(id="one match, all seen", select="metadata.name=barfoo", limit=2, finds="third/barfoo"),
    Answered(
        id="two matches, more may follow",
        select="metadata.name=bar",
        limit=2,
        finds="first/bar* second/bar",
        more=True,
    ),
    Answered(id="two matches far apart", select="metadata.name=foo", limit=2, finds="second/foo third/foo"),
    Answered(
        id="two matches, limit as large as the list", select="metadata.name=foo", limit=5, finds="second/foo third/foo"
    ),
    Answered(id="one match, limit as large as the list", select="metadata.name=barfoo", limit=5, finds="third/barfoo"),
)


def _not_older(question: Answered) -> Answered:
    """The same question about the last write or later: the same answer, at a revision that may be newer."""
    more = question.more or bool(question.next_page)
    return replace(question, at="write 8", match=NOT_OLDER_THAN, revision="", next_page="", more=more)


AT_LEAST = (
    *(_not_older(question) for question in PRESENT),
    Answered(id="without a match", prefix="/pods/first/", at="write 8", finds="first/bar*"),
    Answered(
        id="the updated object",
        at="write 8",
        match=NOT_OLDER_THAN,
        select="spec.nodeName=fakeNode",
        limit=5,
        finds="first/bar*",
    ),
    Answered(
        id="the deleted object", at="write 8", match=NOT_OLDER_THAN, select="metadata.name=baz", limit=5, finds=""
    ),
)

ANY_TIME = (
    Loose(id="one namespace", prefix="/pods/first/", at="0", finds=("", "first/bar", "first/bar*")),
    Loose(
        id="one namespace, not older",
        prefix="/pods/first/",
        at="0",
        match=NOT_OLDER_THAN,
        finds=("", "first/bar", "first/bar*"),
    ),
    Loose(
        id="not older than before the first write",
        prefix="/pods/first/",
        at="before",
        match=NOT_OLDER_THAN,
        finds=("", "first/bar", "first/bar*"),
    ),
    Loose(id="one match, all seen", at="0", select="metadata.name=barfoo", limit=2, finds=("", "third/barfoo")),
    Loose(id="an empty key", prefix="/pods/empty", at="0", finds=("",)),
)

EXACTLY = (
    Answered(
        id="before an update", prefix="/pods/first/", at="write 1", match=EXACT, finds="first/bar", revision="write 1"
    ),
    Answered(id="before a creation", prefix="/pods/second/", at="write 1", match=EXACT, finds="", revision="write 1"),
    Answered(
        id="at a creation", prefix="/pods/second/", at="write 2", match=EXACT, finds="second/bar", revision="write 2"
    ),
    Answered(
        id="one namespace, last write",
        prefix="/pods/first/",
        at="write 8",
        match=EXACT,
        finds="first/bar*",
        revision="write 8",
    ),
    Answered(id="write 1", at="write 1", match=EXACT, finds="first/bar", revision="write 1"),
    Answered(id="write 2", at="write 2", match=EXACT, finds="first/bar second/bar", revision="write 2"),
    Answered(id="write 3", at="write 3", match=EXACT, finds="first/bar second/bar second/foo", revision="write 3"),
    Answered(
        id="write 4",
        at="write 4",
        match=EXACT,
        finds="first/bar second/bar second/foo third/barfoo",
        revision="write 4",
    ),
    Answered(
        id="write 5",
        at="write 5",
        match=EXACT,
        finds="first/bar second/bar second/foo third/barfoo third/foo",
        revision="write 5",
    ),
    Answered(
        id="write 6",
        at="write 6",
        match=EXACT,
        finds="first/bar second/bar second/baz second/foo third/barfoo third/foo",
        revision="write 6",
    ),
    Answered(
        id="write 7",
        at="write 7",
        match=EXACT,
        finds="first/bar* second/bar second/baz second/foo third/barfoo third/foo",
        revision="write 7",
    ),
    Answered(id="write 8", at="write 8", match=EXACT, finds=ALL, revision="write 8"),
    Answered(id="a revision outside the registry", at="now", match=EXACT, finds=ALL, revision="now"),
    Answered(
        id="a limit without match means exactly",
        prefix="/pods/second/",
        at="write 8",
        limit=1,
        finds="second/bar",
        revision="write 8",
        next_page="bar\x00",
        remaining=1,
    ),
    Answered(
        id="a limit in one namespace",
        prefix="/pods/second/",
        at="write 8",
        match=EXACT,
        limit=1,
        finds="second/bar",
        revision="write 8",
        next_page="bar\x00",
        remaining=1,
    ),
    Answered(
        id="a limit before a creation",
        prefix="/pods/second/",
        at="write 1",
        match=EXACT,
        limit=1,
        finds="",
        revision="write 1",
    ),
    Answered(
        id="a limit at a creation",
        prefix="/pods/second/",
        at="write 2",
        match=EXACT,
        limit=1,
        finds="second/bar",
        revision="write 2",
    ),
    Answered(
        id="write 2, limit 1",
        at="write 2",
        match=EXACT,
        limit=1,
        finds="first/bar",
        revision="write 2",
        next_page="first/bar\x00",
        remaining=1,
    ),
    Answered(
        id="write 3, limit 2",
        at="write 3",
        match=EXACT,
        limit=2,
        finds="first/bar second/bar",
        revision="write 3",
        next_page="second/bar\x00",
        remaining=1,
    ),
    Answered(
        id="write 4, limit 4",
        at="write 4",
        match=EXACT,
        limit=4,
        finds="first/bar second/bar second/foo third/barfoo",
        revision="write 4",
    ),
    Answered(
        id="write 5, limit 1",
        at="write 5",
        match=EXACT,
        limit=1,
        finds="first/bar",
        revision="write 5",
        next_page="first/bar\x00",
        remaining=4,
    ),
    Answered(
        id="write 6, limit 2",
        at="write 6",
        match=EXACT,
        limit=2,
        finds="first/bar second/bar",
        revision="write 6",
        next_page="second/bar\x00",
        remaining=4,
    ),
    Answered(
        id="write 7, limit 4",
        at="write 7",
        match=EXACT,
        limit=4,
        finds="first/bar* second/bar second/baz second/foo",
        revision="write 7",
        next_page="second/foo\x00",
        remaining=2,
    ),
    Answered(id="write 8, limit 8", at="write 8", match=EXACT, limit=8, finds=ALL, revision="write 8"),
    Answered(
        id="now, limit 1",
        at="now",
        match=EXACT,
        limit=1,
        finds="first/bar*",
        revision="now",
        next_page="first/bar\x00",
        remaining=4,
    ),
)

CONTINUED = (
    Answered(id="in a namespace", prefix="/pods/second/", after=("foo", "write 8"), limit=1, finds="second/foo"),
    Answered(
        id="resource version 0 is ignored",
        prefix="/pods/second/",
        at="0",
        after=("foo", "write 8"),
        limit=1,
        finds="second/foo",
    ),
    Answered(
        id="a match on the last, partial page",
        after=("third/barfoo", "write 8"),
        select="metadata.name=foo",
        limit=2,
        finds="third/foo",
    ),
    Answered(
        id="a match on the last, full page",
        after=("third/barfoo", "write 8"),
        select="metadata.name=foo",
        limit=1,
        finds="third/foo",
    ),
    Answered(
        id="a match on the last page of five",
        after=("third/barfoo", "write 8"),
        select="metadata.name=foo",
        limit=5,
        finds="third/foo",
    ),
    Answered(id="write 1", after=("first/bar\x00", "write 1"), limit=1, finds="", revision="write 1"),
    Answered(id="write 2", after=("first/bar\x00", "write 2"), limit=1, finds="second/bar", revision="write 2"),
    Answered(id="write 3", after=("second/bar\x00", "write 3"), limit=2, finds="second/foo", revision="write 3"),
    Answered(
        id="write 5",
        after=("first/bar\x00", "write 5"),
        limit=1,
        finds="second/bar",
        revision="write 5",
        next_page="second/bar\x00",
        remaining=3,
    ),
    Answered(
        id="write 6",
        after=("second/bar\x00", "write 6"),
        limit=2,
        finds="second/baz second/foo",
        revision="write 6",
        next_page="second/foo\x00",
        remaining=2,
    ),
    Answered(
        id="write 7", after=("second/foo\x00", "write 7"), limit=4, finds="third/barfoo third/foo", revision="write 7"
    ),
    Answered(
        id="now",
        after=("first/bar\x00", "now"),
        limit=1,
        finds="second/bar",
        revision="now",
        next_page="second/bar\x00",
        remaining=3,
    ),
    Answered(
        id="at the present, from the second",
        after=("first/bar\x00", "-1"),
        finds="second/bar second/foo third/barfoo third/foo",
        revision="now",
    ),
    Answered(
        id="at the present, with a limit",
        after=("first/bar\x00", "-1"),
        limit=2,
        finds="second/bar second/foo",
        revision="now",
        next_page="second/foo\x00",
        remaining=2,
    ),
    Answered(
        id="at the present, resource version 0 is ignored",
        at="0",
        after=("first/bar\x00", "-1"),
        limit=2,
        finds="second/bar second/foo",
        revision="now",
        next_page="second/foo\x00",
        remaining=2,
    ),
    Answered(
        id="at the present, from the fourth",
        after=("second/foo\x00", "-1"),
        finds="third/barfoo third/foo",
        revision="now",
    ),
)

REFUSED = (
    Refused(id="a resource version that is no number", at="abc", error=InvalidResourceVersion),
    Refused(id="a negative resource version", at="-1", error=InvalidResourceVersion),
    Refused(
        id="a resource version beside a continue token",
        prefix="/pods/second/",
        at="1",
        limit=1,
        after=("foo", "write 8"),
        error=InvalidContinueToken,
    ),
    Refused(id="the far future", at="far future", error=ResourceVersionTooLarge),
    Refused(id="the far future, not older", at="far future", match=NOT_OLDER_THAN, error=ResourceVersionTooLarge),
    Refused(id="the next revision, exactly", at="next", match=EXACT, error=ResourceVersionTooLarge),
    Refused(
        id="a compacted revision", at="before", match=EXACT, error=ResourceVersionTooOld, message="list is too old"
    ),
    Refused(
        id="a compacted revision of one namespace",
        prefix="/pods/first/",
        at="before",
        match=EXACT,
        error=ResourceVersionTooOld,
        message="list is too old",
    ),
    Refused(
        id="a continue token at a compacted revision",
        after=("first/bar\x00", "before"),
        limit=1,
        error=ResourceVersionTooOld,
        message="continue parameter is too old",
        token=True,
    ),
    Refused(id="a continue token without a key", after=("", "write 8"), error=InvalidContinueToken),
    Refused(id="a continue token at revision 0", after=("first/bar\x00", "0"), error=InvalidContinueToken),
)
