"""Records are dataclasses to everybody who looks."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import ClassVar

import pytest

from localplane.apimachinery.records import field, names_of, record, replace


@record
class Place:
    """A record."""

    kinds: ClassVar[int] = 1
    name: str
    size: int = 3
    tags: list[str] = field(default_factory=list)
    secret: str = field(default="", repr=False)

    @property
    def shown(self) -> str:
        return self.name.upper()


@record
class Other:
    name: str
    size: int = 3
    tags: tuple[str, ...] = ()
    secret: str = ""


def test_it_is_made_compared_and_shown_by_its_fields() -> None:
    here = Place("a", tags=["x"])
    assert (here.name, here.size, here.tags, here.shown, Place.kinds) == ("a", 3, ["x"], "A", 1)
    assert here == Place("a", 3, ["x"])
    assert here != Place("b", tags=["x"])
    assert repr(Place("a", secret="s")) == "Place(name='a', size=3, tags=[])"
    assert Place.__doc__ == "A record."


def test_two_classes_with_the_same_values_differ() -> None:
    assert Other("a") != Place("a", 3, ())  # type: ignore[arg-type]  # on purpose
    assert hash(Other("a")) == hash(Other("a"))


def test_every_one_has_a_default_of_its_own() -> None:
    assert Place("a").tags is not Place("b").tags


def test_it_can_not_be_changed() -> None:
    here = Other("a")
    with pytest.raises(AttributeError):
        here.name = "b"  # type: ignore[misc]  # on purpose
    with pytest.raises(AttributeError):
        del here.name
    assert not hasattr(here, "__dict__")


def test_it_is_copied_pickled_and_replaced() -> None:
    here = Other("a", tags=("x",))
    assert copy.deepcopy(here) == here
    assert pickle.loads(pickle.dumps(here)) == here
    assert replace(here, name="b") == Other("b", tags=("x",))
    assert dataclasses.replace(here, name="b") == Other("b", tags=("x",))
    assert names_of(here) == ("name", "size", "tags", "secret")
    assert [one.name for one in dataclasses.fields(Place)] == ["name", "size", "tags", "secret"]


def test_what_is_required_has_to_be_given() -> None:
    with pytest.raises(TypeError):
        Place()  # type: ignore[call-arg]  # on purpose


def test_it_can_be_taken_apart() -> None:
    match Other("a", 7):
        case Other(name, size):
            assert (name, size) == ("a", 7)
