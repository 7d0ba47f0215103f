"""The items of a list from their finished bytes, joined a megabyte at a time.

Whoever needs the next piece first makes it, and all who read the same items share it. So a list costs nobody more than
a piece at a time, however large it is, and a hundred readers of one list need no more memory than one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence
from typing import cast

from localplane.apimachinery.time_slices import TimeSlices
from localplane.apiserver.registry.rest import ResultList
from localplane.apiserver.request import Response
from localplane.apiserver.storage.interface import ObjectList

Join = Callable[[Sequence[bytes]], bytes]

_PIECE_BYTES = 1 << 20
AT_ONCE_BYTES = 2 * _PIECE_BYTES

# A longer list is joined anew for each reader: keeping it would double what its objects take.
_MOST_KEPT_BYTES = 32 * 1024 * 1024


class JoinedItems:
    """`parts` are the items' bytes, one for each; `join` makes a piece of some of them, `separator` stands between two
    pieces, and `size` is how much all of it is."""

    piece_bytes = _PIECE_BYTES

    def __init__(self, parts: Sequence[bytes], join: Join, *, separator: bytes, size: int) -> None:
        self.size = size
        self._pieces: list[bytes] = []
        self._making: Iterator[bytes] | None = self._made(parts, join, separator)
        if size <= AT_ONCE_BYTES:
            self._pieces += self._making
            self._making = None

    @classmethod
    def whole(cls, piece: bytes) -> JoinedItems:
        """All of them, finished."""
        items = cls((), b"".join, separator=b"", size=len(piece))
        items._pieces.append(piece)
        return items

    @property
    def pieces(self) -> Sequence[bytes] | None:
        """All of them, if they have been made."""
        return self._pieces if self._making is None else None

    def piece(self, number: int) -> bytes | None:
        """None after the last one. They are asked for in their order."""
        if number < len(self._pieces):
            return self._pieces[number]
        piece = next(self._making, None) if self._making is not None else None
        if piece is None:
            self._making = None
        else:
            self._pieces.append(piece)
        return piece

    def _made(self, parts: Sequence[bytes], join: Join, separator: bytes) -> Iterator[bytes]:
        if not parts:
            return
        step = max(1, self.piece_bytes * len(parts) // max(self.size, 1))
        for start in range(0, len(parts), step):
            piece = join(parts[start : start + step])
            yield separator + piece if start and separator else piece


class _UnsharedItems(JoinedItems):
    """Forgets each piece when the next one is asked for. Smaller ones: each reader has its own in memory."""

    piece_bytes = _PIECE_BYTES // 4

    def piece(self, number: int) -> bytes | None:  # noqa: ARG002 - there is one reader, and it wants the next
        return next(self._making, None) if self._making is not None else None


def joined(parts: Sequence[bytes], join: Join, *, separator: bytes = b"", size: int) -> JoinedItems:
    return (JoinedItems if size <= _MOST_KEPT_BYTES else _UnsharedItems)(parts, join, separator=separator, size=size)


def kept_list(listed: ObjectList | ResultList, key: Hashable, made_by: object) -> JoinedItems | None:
    """What was kept for this list, unless one of its items, or their declaration, has changed since."""
    memo = listed.memo if isinstance(listed, ObjectList) else None
    made_for, items = cast("tuple[object, JoinedItems | None]", memo.get(key, (None, None)) if memo else (None, None))
    return items if made_for is made_by else None


def keep_list(listed: ObjectList | ResultList, key: Hashable, made_by: object, items: JoinedItems) -> None:
    if isinstance(listed, ObjectList) and listed.memo is not None and not isinstance(items, _UnsharedItems):
        listed.memo[key] = (made_by, items)


def response(opening: bytes, items: JoinedItems, closing: bytes, content_type: str, slices: TimeSlices) -> Response:
    """All at once if it is there, else as it is made."""
    if items.pieces is not None:
        return Response(200, (opening, *items.pieces, closing), content_type)
    size = len(opening) + items.size + len(closing)
    return Response(200, _sent(opening, items, closing, slices), content_type, size=size)


async def _sent(opening: bytes, items: JoinedItems, closing: bytes, slices: TimeSlices) -> AsyncIterator[bytes]:
    yield opening
    number = 0
    while (piece := items.piece(number)) is not None:
        yield piece
        number += 1
        if slices.is_over:
            await slices.next()
    yield closing
