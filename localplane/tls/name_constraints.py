"""For which names an authority may speak. Go: crypto/x509 (checkChainConstraints)."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

from cryptography import x509

from localplane.apimachinery.golang.text import go_quote

from .certificates import Certificate

_MOST_COMPARISONS: Final = 250_000


class NotAuthorized(Exception):
    """An authority in the chain may not speak for a name below it; the text is Go's detail."""


def check_constraints(chain: Sequence[Certificate]) -> None:
    """Raises NotAuthorized. `chain` goes from the leaf to the anchor, and those between may be constrained too."""
    for position, authority in enumerate(chain):
        if position == 0 or authority.name_constraints is None:
            continue
        for below in chain[:position]:
            _check(below, authority.name_constraints)


def _check(certificate: Certificate, constraints: x509.NameConstraints) -> None:
    names = list(certificate.alternative_names or ())
    permitted, excluded = constraints.permitted_subtrees or (), constraints.excluded_subtrees or ()
    if len(names) * (len(permitted) + len(excluded)) > _MOST_COMPARISONS:
        raise NotAuthorized("x509: too many name constraints comparisons")
    for name in names:
        for subtree in excluded:
            if _covers(subtree, name, excludes=True):
                raise NotAuthorized(f"{_shown(name)} is excluded by constraint {go_quote(str(subtree.value))}")
        of_its_kind = [subtree for subtree in permitted if type(subtree) is type(name)]
        if of_its_kind and not any(_covers(subtree, name, excludes=False) for subtree in of_its_kind):
            raise NotAuthorized(f"{_shown(name)} is not permitted by any constraint")


def _shown(name: x509.GeneralName) -> str:
    kind = {x509.DNSName: "DNS name", x509.IPAddress: "IP address"}.get(type(name), "name")
    return f"{kind} {go_quote(str(name.value))}"


def _covers(subtree: x509.GeneralName, name: x509.GeneralName, *, excludes: bool) -> bool:
    """Whether a name belongs to a subtree. Of kinds that are not compared, nothing is permitted and all is excluded."""
    if type(subtree) is not type(name):
        return False
    if isinstance(subtree, x509.DNSName) and isinstance(name, x509.DNSName):
        return _is_below(name.value.lower(), subtree.value.lower(), excludes=excludes)
    if isinstance(subtree, x509.IPAddress) and isinstance(name, x509.IPAddress):
        return _is_within(name.value, subtree.value)
    return excludes


def _is_below(name: str, domain: str, *, excludes: bool) -> bool:
    """A constraint with a leading dot wants something before it. A wildcard is excluded if anything that it stands for
    is."""
    if not domain:
        return True
    if domain.startswith("."):
        return name.endswith(domain)
    if excludes and name.startswith("*.") and domain.endswith(name[1:]) and domain.count(".") == name.count("."):
        return True
    return name == domain or name.endswith(f".{domain}")


def _is_within(address: object, network: object) -> bool:
    if isinstance(address, IPv4Address) and isinstance(network, IPv4Network):
        return address in network
    return isinstance(address, IPv6Address) and isinstance(network, IPv6Network) and address in network
