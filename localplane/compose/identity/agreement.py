"""What all servers of a cluster must be told alike, by the flags that tell it.

Two servers with different service networks would both be right and give out addresses that the other one takes for
wrong; with different issuers one refuses the other's tokens; with different admission what is refused depends on who
is asked. So they agree, and a server that was told otherwise does not start while others run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from localplane.compose.options import ClusterOptions
from localplane.compose.storage import encryption_rules

if TYPE_CHECKING:
    from localplane.apiserver.storage.encryption import EncryptionRules

Agreement = Mapping[str, str]

_PLAIN: Final = "identity"
ENCRYPTION: Final = "--encryption-provider-config "
"""What stands before a pattern of resources in an agreement. Its value is the key of the last server that started."""


def agreement_of(options: ClusterOptions) -> dict[str, str]:
    """Raises InvalidOptions for a file that can't be read."""
    ports = options.service_node_ports
    accounts = options.service_accounts
    rules = encryption_rules(options.storage)
    writers = rules.writers() if rules is not None else {}
    return {
        **{f"{ENCRYPTION}{pattern}": fingerprint for pattern, fingerprint in writers.items()},
        "--service-cluster-ip-range": options.service_cluster_ip_range,
        "--service-node-port-range": f"{ports.start}-{ports.stop - 1}",
        "--service-account-issuer": ",".join(accounts.issuers),
        "--api-audiences": ",".join(sorted(accounts.audiences)),
        "--enable-admission-plugins": ",".join(sorted(options.enabled_admission_plugins)),
        "--disable-admission-plugins": ",".join(sorted(options.disabled_admission_plugins)),
        "--authorization-mode": ",".join(options.authorization.modes),
    }


def unreadable(agreed: Agreement, rules: EncryptionRules | None) -> Iterator[str]:
    """What a server could not read, in words. Keys are changed one server at a time, so servers may encrypt with
    different ones: each has to have the one that was last begun with."""
    for name, fingerprint in agreed.items():
        pattern = name.removeprefix(ENCRYPTION)
        if not name.startswith(ENCRYPTION) or (rules is not None and rules.can_read(pattern, fingerprint)):
            continue
        if fingerprint == _PLAIN and rules is None:
            continue
        kind, _, rest = fingerprint.partition(":")
        key = f'{kind} key "{rest.rpartition(":")[0]}"' if rest else "nothing (identity)"
        yield f"{pattern} encrypted with {key}, which --encryption-provider-config does not have here"


def differences(agreed: Agreement, told: Agreement) -> Iterator[str]:
    """What a server was told otherwise, in words. What only a later version knows is no difference, nor is how things
    are encrypted: see `unreadable`."""
    for flag, value in told.items():
        if flag.startswith(ENCRYPTION):
            continue
        if flag in agreed and agreed[flag] != value:
            yield (
                f"{flag} {agreed[flag]}, and here {value}"
                if value and agreed[flag]
                else (
                    f"{flag} {agreed[flag]}, which is not given here"
                    if agreed[flag]
                    else f"no {flag}, and here {value}"
                )
            )
