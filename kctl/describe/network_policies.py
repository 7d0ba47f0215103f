"""Network policies: who may talk to the selected pods, and to whom they may. Kubernetes: describeNetworkPolicy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from localplane.apimachinery.objects import JSONObject

from .metadata import NONE, annotation_lines, go_time, labels, of, selector_text
from .page import Page
from .source import Source

_INDENT = "    "


class _Direction(NamedTuple):
    """`peers` is the field with the other side, `title` how it is called, `end` what restricts the traffic."""

    name: str
    peers: str
    title: str
    end: str


_INGRESS = _Direction("ingress", "from", "From", "source")
_EGRESS = _Direction("egress", "to", "To", "destination")


async def describe(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    metadata, spec = of(obj, "metadata"), of(obj, "spec")
    page.field("Name", metadata.get("name", ""))
    page.field("Namespace", metadata.get("namespace", ""))
    page.field("Created on", go_time(metadata.get("creationTimestamp")))
    labels(page, "Labels", metadata.get("labels"))
    annotation_lines(page, "Annotations", metadata.get("annotations"))
    page.line("Spec:")
    page.write("PodSelector: ", level=1)
    selector = of(spec, "podSelector")
    selects = selector.get("matchLabels") or selector.get("matchExpressions")
    everything = f"{NONE} (Allowing the specific traffic to all pods in this namespace)"
    page.line(selector_text(selector) if selects else everything, level=2)
    types = spec.get("policyTypes") or ()
    for kind, direction in (("Ingress", _INGRESS), ("Egress", _EGRESS)):
        if kind in types:
            page.line(f"Allowing {direction.name} traffic:", level=1)
            _rules(page, spec.get(direction.name) or (), direction)
        else:
            page.line(f"Not affecting {direction.name} traffic", level=1)
    page.line(f"Policy Types: {', '.join(types) or NONE}", level=1)


def _rules(page: Page, rules: Sequence[JSONObject], direction: _Direction) -> None:
    if not rules:
        page.line(f"{_INDENT}{NONE} (Selected pods are isolated for {direction.name} connectivity)")
    for number, rule in enumerate(rules):
        if number:
            page.line(f"{_INDENT}----------")
        _ports(page, rule.get("ports") or ())
        peers = rule.get(direction.peers) or ()
        if not peers:
            page.line(f"{_INDENT}{direction.title}: <any> (traffic not restricted by {direction.end})")
        for peer in peers:
            page.line(f"{_INDENT}{direction.title}:")
            _peer(page, peer)


def _ports(page: Page, ports: Sequence[JSONObject]) -> None:
    if not ports:
        page.line(f"{_INDENT}To Port: <any> (traffic allowed to all ports)")
    for port in ports:
        number, protocol = port.get("port"), port.get("protocol") or "TCP"
        shown = "<nil>" if number is None else number
        if port.get("endPort") is None:
            page.line(f"{_INDENT}To Port: {shown}/{protocol}")
        else:
            page.line(f"{_INDENT}To Port Range: {shown}-{port['endPort']}/{protocol}")


def _peer(page: Page, peer: JSONObject) -> None:
    selectors = [
        (title, peer[field])
        for title, field in (("NamespaceSelector", "namespaceSelector"), ("PodSelector", "podSelector"))
        if peer.get(field) is not None
    ]
    for title, selector in selectors:
        page.line(f"{_INDENT}{title}: {selector_text(selector)}", level=1)
    if not selectors and (block := peer.get("ipBlock")) is not None:
        page.line(f"{_INDENT}IPBlock:", level=1)
        page.line(f"{_INDENT}CIDR: {block.get('cidr', '')}", level=2)
        page.line(f"{_INDENT}Except: {', '.join(block.get('except') or ())}", level=2)
