"""A chain from a certificate to one that is trusted. Go: crypto/x509 (Certificate.Verify).

What differs from OpenSSL, and why it is done here: whatever is in a pool is trusted, be it a leaf, an intermediate or a
root; who issued what is found out by trying, so that two certificates with the same or an empty name are no riddle;
a pool is one question, so that those who are trusted for one thing are not for another; and it can be asked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Final, Self

from localplane.apimachinery.golang.text import go_quote

from .authorities import NoAuthorities, certificates_in
from .certificates import BadSignature, Certificate, MalformedCertificate
from .hostnames import is_for, mismatch
from .name_constraints import NotAuthorized, check_constraints

_ANY_PURPOSE: Final = "2.5.29.37.0"
_MOST_SIGNATURES: Final = 32
"""Go tries a hundred, on one of many threads; a chain that anybody uses has two or three."""

_MOST_SHOWN: Final = 16


class Purpose(Enum):
    SERVER = "1.3.6.1.5.5.7.3.1"
    CLIENT = "1.3.6.1.5.5.7.3.2"


class Untrusted(Exception):
    """The certificate is not believed; the text is Go's."""


@dataclass(frozen=True, slots=True)
class Trusted:
    """A certificate that is believed, and until when if nothing else changes."""

    certificate: Certificate
    until: datetime


class Pool:
    """Certificates, found by their names."""

    def __init__(self, certificates: Iterable[Certificate] = ()) -> None:
        self._by_subject: dict[bytes, list[Certificate]] = {}
        self._all: set[bytes] = set()
        for certificate in certificates:
            self._add(certificate)

    @classmethod
    def of_bundle(cls, bundle: bytes) -> Self:
        """Raises NoAuthorities. What can't be read is left out, as long as something can."""
        readable = cls(_readable(certificates_in(bundle)))
        if not readable._all:
            raise NoAuthorities(
                "unable to load root certificates: failed to parse certificate: x509: malformed certificate"
            )
        return readable

    def __contains__(self, certificate: Certificate) -> bool:
        return certificate.raw in self._all

    def parents(self, child: Certificate) -> list[Certificate]:
        """Who may have issued it, the likely ones first."""
        wanted = child.issuer_key_identifier

        def unlikeliness(candidate: Certificate) -> int:
            if candidate.key_identifier == wanted:
                return 0
            return 1 if bool(candidate.key_identifier) != bool(wanted) else 2

        return sorted(self._by_subject.get(child.issuer, ()), key=unlikeliness)

    def _add(self, certificate: Certificate) -> None:
        if certificate.raw not in self._all:
            self._all.add(certificate.raw)
            self._by_subject.setdefault(certificate.subject, []).append(certificate)


def verify(
    shown: Sequence[bytes], roots: Pool, *, purpose: Purpose, host: str = "", at: datetime | None = None
) -> Trusted:
    """`shown` is what the peer has sent, in DER, its own certificate first. Raises Untrusted."""
    try:
        leaf = Certificate.load(shown[0])
    except MalformedCertificate as error:
        raise Untrusted(str(error)) from error
    search = _Search(roots, Pool(_readable(shown[1:_MOST_SHOWN])), at or datetime.now(UTC))
    search.check_alone(leaf)
    if host and not is_for(leaf, host):
        raise Untrusted(mismatch(leaf, host))
    chains = [[leaf]] if leaf in roots else search.chains([leaf])
    return Trusted(leaf, max(_end(chain) for chain in _fitting(chains, purpose)))


def _readable(certificates: Iterable[bytes]) -> Iterator[Certificate]:
    for raw in certificates:
        try:
            yield Certificate.load(raw)
        except MalformedCertificate:
            continue


def _end(chain: Sequence[Certificate]) -> datetime:
    return min(certificate.not_after for certificate in chain)


def _fitting(chains: Sequence[Sequence[Certificate]], purpose: Purpose) -> list[Sequence[Certificate]]:
    """Those that may be used so, and for these names."""
    fitting, wrong_name = [], ""
    for chain in chains:
        if not all(_serves(certificate, purpose) for certificate in chain):
            continue
        try:
            check_constraints(chain)
        except NotAuthorized as error:
            wrong_name = wrong_name or str(error)
            continue
        fitting.append(chain)
    if fitting:
        return fitting
    if wrong_name:
        raise Untrusted(
            f"x509: a root or intermediate certificate is not authorized to sign for this name: {wrong_name}"
        )
    raise Untrusted("x509: certificate specifies an incompatible key usage")


def _serves(certificate: Certificate, purpose: Purpose) -> bool:
    purposes = certificate.purposes
    return not purposes or _ANY_PURPOSE in purposes or purpose.value in purposes


class _Search:
    """One search for chains, with a bound on what it may cost."""

    def __init__(self, roots: Pool, intermediates: Pool, at: datetime) -> None:
        self._roots = roots
        self._intermediates = intermediates
        self._at = at
        self._signatures = 0

    def chains(self, chain: list[Certificate]) -> list[list[Certificate]]:
        """Every way up from the chain's last. Raises Untrusted if there is none. Go: buildChains."""
        child, hint = chain[-1], ""
        found: list[list[Certificate]] = []
        candidates = [(root, True) for root in self._roots.parents(child)]
        candidates += [(between, False) for between in self._intermediates.parents(child)]
        for candidate, is_root in candidates:
            if candidate.public_key is None or _is_in(chain, candidate):
                continue
            self._signatures += 1
            if self._signatures > _MOST_SIGNATURES:
                if found:
                    break
                raise Untrusted("x509: signature check attempts limit reached while verifying certificate chain")
            try:
                child.check_signed_by(candidate)
                self._check_above(candidate, chain, is_root=is_root)
                found += [[*chain, candidate]] if is_root else self.chains([*chain, candidate])
            except BadSignature as error:
                hint = hint or _possibly(str(error), candidate)
            except _Unfit as error:
                hint = hint or _possibly(str(error), candidate)
            except Untrusted as error:
                hint = hint or str(error).removeprefix(_UNKNOWN)
        if not found:
            raise Untrusted(f"{_UNKNOWN}{hint}")
        return found

    def check_alone(self, certificate: Certificate) -> None:
        """Raises Untrusted for what no chain could make good."""
        if not certificate.is_understood:
            raise _Unfit("x509: unhandled critical extension")
        for wrong, how, when in (
            (self._at < certificate.not_before, "before", certificate.not_before),
            (self._at > certificate.not_after, "after", certificate.not_after),
        ):
            if wrong:
                now = _rfc3339(self._at.astimezone())
                raise _Unfit(
                    f"x509: certificate has expired or is not yet valid: current time {now} is {how} {_rfc3339(when)}"
                )

    def _check_above(self, authority: Certificate, chain: Sequence[Certificate], *, is_root: bool) -> None:
        self.check_alone(authority)
        constraints = authority.basic_constraints
        if not is_root and not (constraints and constraints.ca):
            raise _Unfit("x509: certificate is not authorized to sign other certificates")
        if constraints and constraints.path_length is not None and len(chain) - 1 > constraints.path_length:
            raise _Unfit("x509: too many intermediates for path length constraint")


_UNKNOWN: Final = "x509: certificate signed by unknown authority"


class _Unfit(Untrusted):
    """A certificate that can be in no chain."""


def _possibly(why: str, candidate: Certificate) -> str:
    name = go_quote(candidate.name)
    return f" (possibly because of {go_quote(why)} while trying to verify candidate authority certificate {name})"


def _is_in(chain: Sequence[Certificate], candidate: Certificate) -> bool:
    """The same holder of the same key, whatever paper it comes on: a circle. Go: alreadyInChain."""
    return any(
        each.subject == candidate.subject
        and each.public_key == candidate.public_key
        and each.alternative_names == candidate.alternative_names
        for each in chain
    )


def _rfc3339(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")
