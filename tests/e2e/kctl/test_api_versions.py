"""`kctl api-versions`."""

from __future__ import annotations

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.conftest import Read


def test_versions_are_listed_in_order(read: Read) -> None:
    done = read("api-versions")
    versions = done.stdout.splitlines()
    assert (done.code, done.stderr, versions) == (0, "", sorted(versions))
    assert versions[:3] == ["admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1"]
    assert {"v1", "apps/v1", "autoscaling/v1", "autoscaling/v2", "batch/v1"} <= {*versions}


def test_arguments_are_refused(read: Read) -> None:
    stderr = "error: unexpected arguments: [a b]\nSee 'kctl api-versions -h' for help and examples\n"
    assert read("api-versions", "a", "b") == Outcome(1, "", stderr)


def test_a_server_that_is_not_there_is_told_in_a_longer_sentence(read: Read) -> None:
    stderr = (
        "error: couldn't get available api versions from server: "
        'Get "http://127.0.0.1:1/api?timeout=32s": dial tcp 127.0.0.1:1: connect: connection refused\n'
    )
    assert read("api-versions", "--server", "http://127.0.0.1:1") == Outcome(1, "", stderr)
