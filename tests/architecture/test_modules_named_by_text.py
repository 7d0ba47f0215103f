"""Modules that are imported by a text are not seen by the type checker: each of the texts names one that is there."""

from __future__ import annotations

from importlib import import_module

import pytest

from localplane.controllers import CONTROLLERS


@pytest.mark.parametrize("module", sorted({spec.module for spec in CONTROLLERS}))
def test_a_controller_of_the_table_is_there(module: str) -> None:
    assert callable(import_module(f"localplane.controllers.{module}").start)


@pytest.mark.parametrize(
    "package",
    ["localplane.client", "localplane.apimachinery.serializers", "localplane.apimachinery.serializers.protobuf"],
)
def test_what_a_package_offers_is_there_when_it_is_first_used(package: str) -> None:
    offers = import_module(package)
    assert [name for name in offers.__all__ if not hasattr(offers, name)] == []
