"""What a namespace asks of each of its objects: defaults, and limits that fit together."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.limit_ranges import LIMIT_RANGES
from tests.unit.catalog.writing import REQUEST, created, refusals


def limits(*items: JSONObject) -> JSONObject:
    return {"spec": {"limits": list(items)}}


def test_a_container_limit_fills_in_what_follows_from_it() -> None:
    """The limit is the maximum, the request is the limit, and the minimum where there is neither."""
    stored = created(
        LIMIT_RANGES,
        limits({"type": "Container", "max": {"cpu": "1"}, "min": {"cpu": "100m", "memory": "1Mi"}}),
    )
    [item] = stored["spec"]["limits"]
    assert item["default"] == {"cpu": "1"}
    assert item["defaultRequest"] == {"cpu": "1", "memory": "1Mi"}


def test_only_containers_get_defaults() -> None:
    [item] = created(LIMIT_RANGES, limits({"type": "Pod", "max": {"cpu": "1"}}))["spec"]["limits"]
    assert item == {"type": "Pod", "max": {"cpu": "1"}}


def test_one_without_a_name_gets_one() -> None:
    stored: JSONObject = {"metadata": {}, "spec": {"limits": []}}
    LIMIT_RANGES.strategy.prepare_for_create(REQUEST, stored)
    assert len(stored["metadata"]["name"]) == 36


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"type": "Container", "max": {"cpu": "2"}, "min": {"cpu": "1"}}, []),
        (
            {"type": "Nothing"},
            [
                'spec.limits[0].type: Invalid value: "Nothing": must be a standard limit type or fully qualified',
            ],
        ),
        (
            {"type": "Pod", "default": {"cpu": "1"}},
            ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
        ),
        (
            {"type": "Pod", "max": {"storage": "1"}},
            ['spec.limits[0].max[storage]: Invalid value: "storage": must be a standard resource for containers'],
        ),
        (
            {"type": "PersistentVolumeClaim", "max": {"cpu": "1"}},
            [
                (
                    "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but "
                    "neither was provided"
                )
            ],
        ),
        (
            {"type": "Pod", "max": {"cpu": "1"}, "min": {"cpu": "2"}},
            ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
        ),
        (
            {"type": "Container", "default": {"cpu": "1"}, "min": {"cpu": "2"}, "defaultRequest": {"cpu": "2"}},
            [
                (
                    'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than '
                    "default limit value 1"
                ),
                'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
            ],
        ),
        (
            {"type": "Pod", "max": {"cpu": "2"}, "min": {"cpu": "1"}, "maxLimitRequestRatio": {"cpu": "3"}},
            [
                (
                    'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = '
                    "2.000000"
                )
            ],
        ),
        (
            {"type": "Pod", "maxLimitRequestRatio": {"cpu": "500m"}},
            ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
        ),
    ],
)
def test_limits_fit_together(item: JSONObject, expected: list[str]) -> None:
    assert refusals(LIMIT_RANGES, limits(item)) == expected


def test_each_type_stands_once() -> None:
    assert refusals(LIMIT_RANGES, limits({"type": "Pod"}, {"type": "Pod"})) == [
        'spec.limits[1].type: Duplicate value: "Pod"'
    ]
