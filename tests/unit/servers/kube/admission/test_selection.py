"""Which plugins are on."""

from __future__ import annotations

import pytest

from localplane.servers.kube.admission import UnknownPlugin, select_plugins


def names(**flags: list[str]) -> list[str]:
    return [plugin.name for plugin in select_plugins(**flags)]


def test_kubernetes_own_defaults_are_on_in_their_order() -> None:
    assert names() == [
        "NamespaceLifecycle",
        "LimitRanger",
        "ServiceAccount",
        "NodeRestriction",
        "TaintNodesByCondition",
        "PodSecurity",
        "Priority",
        "DefaultTolerationSeconds",
        "DefaultStorageClass",
        "StorageObjectInUseProtection",
        "PersistentVolumeClaimResize",
        "RuntimeClass",
        "CertificateApproval",
        "CertificateSigning",
        "CertificateSubjectRestriction",
        "DefaultIngressClass",
        "PodTopologyLabels",
        "PodResizeValidator",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionWebhook",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionWebhook",
        "ResourceQuota",
    ]


def test_flags_add_and_remove() -> None:
    found = names(enabled=["AlwaysPullImages"], disabled=["ServiceAccount"])
    assert "AlwaysPullImages" in found
    assert "ServiceAccount" not in found
    assert found.index("AlwaysPullImages") < found.index("PodSecurity")


def test_a_plugin_that_is_not_here_may_be_disabled_but_not_enabled() -> None:
    assert names(disabled=["EventRateLimit"]) == names()
    with pytest.raises(UnknownPlugin, match="EventRateLimit is not part of this server"):
        select_plugins(enabled=["EventRateLimit"])


def test_an_unknown_plugin_and_a_contradiction_are_errors() -> None:
    with pytest.raises(UnknownPlugin, match="there is no admission plugin 'Nonsense'; those there are: AlwaysAdmit"):
        select_plugins(disabled=["Nonsense"])
    with pytest.raises(
        ValueError, match="Priority in enable-admission-plugins and disable-admission-plugins overlapped"
    ):
        select_plugins(enabled=["Priority"], disabled=["Priority"])
