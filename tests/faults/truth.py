"""The committed log, indexed for the questions that the rules ask."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.faults.history import Commit, Version


@dataclass(frozen=True, slots=True)
class Span:
    """The revisions `first` to `last` in which a key stood in one state; `commit` None is before its first write."""

    first: int
    last: float
    commit: Commit | None

    @property
    def present(self) -> bool:
        return self.commit is not None and self.commit.value is not None

    @property
    def revision(self) -> int:
        return self.commit.revision if self.commit else 0


class CommittedLog:
    def __init__(self, commits: Iterable[Commit]) -> None:
        self.commits = sorted(commits, key=_revision)
        self._revisions = [commit.revision for commit in self.commits]
        self._by_revision = {commit.revision: commit for commit in self.commits}
        self._by_marker: dict[str, Commit] = {}
        self._chains: dict[str, list[Commit]] = {}
        self._previous: dict[int, Commit] = {}
        for commit in self.commits:
            if commit.marker is not None:
                self._by_marker.setdefault(commit.marker, commit)
            chain = self._chains.setdefault(commit.key, [])
            if chain:
                self._previous[commit.revision] = chain[-1]
            chain.append(commit)

    @property
    def revision(self) -> int:
        return self._revisions[-1] if self._revisions else 0

    def at(self, revision: int) -> Commit | None:
        return self._by_revision.get(revision)

    def with_marker(self, marker: str | None) -> Commit | None:
        """The first commit that brought it; a second one happened twice."""
        return self._by_marker.get(marker) if marker is not None else None

    def chain(self, key: str) -> Sequence[Commit]:
        return self._chains.get(key, ())

    def replaced(self, commit: Commit) -> Commit | None:
        """The object that a commit replaced or deleted; None when the key was absent."""
        previous = self._previous.get(commit.revision)
        return previous if previous is not None and previous.value is not None else None

    def between(self, after: float, upto: float, prefix: str) -> Iterator[Commit]:
        """Commits below a prefix with after < revision <= upto."""
        for commit in self.commits[bisect_right(self._revisions, after) : bisect_right(self._revisions, upto)]:
            if commit.key.startswith(prefix):
                yield commit

    def spans(self, key: str, first: float, last: float) -> Iterator[Span]:
        """The states of a key from revision `first` to `last`, oldest first."""
        chain = self.chain(key)
        index = bisect_right(chain, first, key=_revision) - 1
        while True:
            commit = chain[index] if index >= 0 else None
            end = chain[index + 1].revision - 1 if index + 1 < len(chain) else float("inf")
            start = commit.revision if commit else 0
            if start > last:
                return
            yield Span(start, end, commit)
            if end >= last or index + 1 >= len(chain):
                return
            index += 1

    def states(self, revisions: Iterable[int]) -> Iterator[tuple[int, Mapping[str, Version]]]:
        """The whole state at each of the revisions, in one sweep. A state is good only until the next one."""
        state: dict[str, Version] = {}
        index = 0
        for revision in sorted(set(revisions)):
            end = bisect_right(self._revisions, revision)
            for commit in self.commits[index:end]:
                if commit.value is None:
                    state.pop(commit.key, None)
                else:
                    state[commit.key] = Version(commit.revision, commit.value)
            index = end
            yield revision, state

    def state(self, revision: int, prefix: str) -> dict[str, Version]:
        (_, state), *_rest = self.states([revision])
        return below(state, prefix)


def below(state: Mapping[str, Version], prefix: str) -> dict[str, Version]:
    return {key: version for key, version in state.items() if key.startswith(prefix)}


def _revision(commit: Commit) -> int:
    return commit.revision
