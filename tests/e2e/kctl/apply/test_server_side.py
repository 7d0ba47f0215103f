"""`kctl apply --server-side`: the server merges, and says who owns what."""

from __future__ import annotations

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.apply.manifests import DEPLOYMENT
from tests.e2e.kctl.desk import Desk

_MANAGERS = 'jsonpath={range .metadata.managedFields[*]}{.manager} {.operation}{"\\n"}{end}'
_REVIEW = """\
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
"""


def test_the_server_takes_over_what_the_client_applied(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1", gone="soon")
    desk.run("apply", "-f", file)
    desk.config_map("a.yaml", "a", x="2")
    assert desk.run("apply", "-f", file, "--server-side") == Outcome(0, "configmap/a serverside-applied\n", "")
    assert desk.run("get", "cm", "a", "-o", "jsonpath={.data}").stdout == '{"x":"2"}'
    managers = desk.run("get", "cm", "a", "-o", _MANAGERS).stdout
    assert sorted(managers.splitlines()) == ["kubectl Apply", "kubectl-last-applied Apply"]
    remembered = desk.run("apply", "view-last-applied", "cm", "a").stdout
    assert remembered == 'apiVersion: v1\ndata:\n  x: "2"\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: <ns>\n'


def test_what_kctl_applied_before_it_had_kubectls_names_is_taken_over_too(desk: Desk) -> None:
    file = desk.config_map("a.yaml", "a", x="1", y="1")
    desk.run("apply", "-f", file, "--field-manager=kctl-client-side-apply")
    desk.config_map("a.yaml", "a", x="2", y="1")
    desk.run("apply", "-f", file)  # kubectl's own name, which owns the annotation now, and x; y is still the former's
    desk.config_map("a.yaml", "a", x="2", y="2")
    assert desk.run("apply", "-f", file, "--server-side") == Outcome(0, "configmap/a serverside-applied\n", "")
    managers = desk.run("get", "cm", "a", "-o", _MANAGERS).stdout
    assert sorted(managers.splitlines()) == ["kubectl Apply", "kubectl-last-applied Apply"]


def test_what_somebody_else_owns_has_to_be_forced(desk: Desk) -> None:
    desk.run("apply", "--server-side", "-f", desk.config_map("a.yaml", "a", x="1"))
    rival = ("apply", "-f", desk.config_map("b.yaml", "a", x="2"), "--server-side", "--field-manager=rival")
    assert desk.run(*rival) == Outcome(
        1, "", f'error: Apply failed with 1 conflict: conflict with "kubectl": .data.x\n{_REVIEW}'
    )
    assert desk.run(*rival, "--force-conflicts") == Outcome(0, "configmap/a serverside-applied\n", "")


def test_a_dry_run_of_the_server_changes_nothing(desk: Desk) -> None:
    done = desk.run("apply", "--server-side", "--dry-run=server", "-f", desk.config_map("a.yaml", "a"))
    assert done == Outcome(0, "configmap/a serverside-applied (server dry run)\n", "")
    assert desk.run("get", "cm", "a").code == 1


def test_a_part_of_an_object_is_applied(desk: Desk) -> None:
    container = "      - {name: c, image: i}\n"
    desk.run("create", "-f", desk.write("d.yaml", f"{DEPLOYMENT}{container}"))
    status = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nstatus: {collisionCount: 7}\n"
    flags = ("--server-side", "--subresource=status", "--force-conflicts", "-o", "jsonpath={.status.collisionCount}")
    assert desk.run("apply", "-f", "-", *flags, stdin=status) == Outcome(0, "7", "")


def test_an_object_without_a_name_is_not_sent(desk: Desk) -> None:
    nameless = "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n"
    done = desk.run("apply", "--server-side", "-f", "-", stdin=nameless)
    assert done == Outcome(1, "", "error: resource name may not be empty\n")
