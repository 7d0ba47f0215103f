"""What --runtime-config switches off, and what is said of the rest."""

from __future__ import annotations

import pytest

from localplane.apiserver.endpoints.enablement import Enablement
from localplane.cli.kube_apiserver.runtime_config import InvalidVersion, runtime_config

LOWERCASE = 'group/version/resource and resource is always lowercase plural, not "Deployments"'


def enablement(*words: str) -> Enablement:
    return runtime_config(words).enablement


def test_nothing_said_is_everything_served() -> None:
    assert enablement() == Enablement()
    assert enablement("apps/v1=true,api/ga=true", "api/beta=false") == Enablement()


@pytest.mark.parametrize("name", ["v1", "api/v1", "/v1"])
def test_the_core_group_has_three_names(name: str) -> None:
    assert enablement(f"{name}=false") == Enablement(frozenset({"/v1"}))
    assert not enablement(f"{name}/pods=false").serves("", "v1", "pods")


def test_a_version_or_a_resource_is_switched_off() -> None:
    found = enablement("apps/v1=false", "batch/v1/cronjobs=0")
    assert not found.serves("apps", "v1", "deployments")
    assert not found.serves_version("apps", "v1")
    assert not found.serves("batch", "v1", "cronjobs")
    assert found.serves("batch", "v1", "jobs")
    assert found.serves("autoscaling", "v2", "horizontalpodautoscalers")


def test_the_special_beats_the_general_in_whatever_order_it_is_said() -> None:
    found = enablement("apps/v1/deployments,apps/v1=false,api/all=false,v1=true")
    assert found.serves("apps", "v1", "deployments")
    assert found.serves_version("apps", "v1")
    assert not found.serves("apps", "v1", "statefulsets")
    assert found.serves("", "v1", "pods")
    assert not found.serves("batch", "v1", "jobs")
    assert not enablement("api/all=true,api/ga=false").serves("batch", "v1", "jobs")
    assert enablement("api/all=false,api/ga=true") == Enablement()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("api/all=false", "invalid runtime-config with only api/all=false"),
        ("api/all=maybe", "invalid value api/all=maybe"),
        (
            "apps/v1=maybe",
            'invalid value of apps/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
        ),
        ("a/b/c/d=true", "runtime-config invalid key a/b/c/d"),
        ("nope=true", "runtime-config invalid key nope"),
        ("nope/v1=true,more/v2=true", "unknown api groups more/v2,nope/v1"),
        ("apps/v9=true", "group version apps/v9 that has not been registered"),
        (
            "apps/v1/Deployments=false",
            f"invalid key apps/v1/Deployments: {LOWERCASE}",
        ),
    ],
)
def test_what_kube_apiserver_refuses_is_refused_in_its_words(words: str, sentence: str) -> None:
    with pytest.raises(InvalidVersion) as refused:
        runtime_config([words])
    assert str(refused.value) == sentence


def test_what_is_not_served_is_told() -> None:
    [note] = runtime_config(["resource.k8s.io/v1beta1/deviceclasses=true"]).notes
    assert note == "resource.k8s.io/v1beta1/deviceclasses has no effect: it is not served here"
    assert len(runtime_config(["api/all=true,api/beta=true,api/alpha=true"]).notes) == 3
    assert runtime_config(["resource.k8s.io/v1beta1=false"]).notes == []
