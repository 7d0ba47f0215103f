"""A plane whose own etcd is full repairs it by itself."""

from __future__ import annotations

import re

import pytest

from tests.e2e.etcd.filling import config_map, names
from tests.e2e.up.machine import Machine, until

QUOTA = "16Mi"


def test_a_plane_repairs_its_own_etcd_and_goes_on_and_starts_again(here: Machine, etcd: str) -> None:
    here.up("--storage", "etcd", "--etcd", etcd, "--etcd-quota-backend-bytes", QUOTA)
    assert here.kctl("create", "-f", config_map(here.home, "large")).code == 0
    for _ in range(80):  # 40 MB, through a quota of 16
        until(lambda: here.kctl("replace", "-f", config_map(here.home, "large")).code == 0)
    log = here.kctl("status", "--logs").stdout
    assert re.search(r"its file had 1\d\.\d MiB and now has \d\.\d MiB of 16\.0 MiB|was compacted early", log), log
    assert here.kctl("status").code == 0
    here.kctl("down")
    here.up("--storage", "etcd", "--etcd", etcd, "--etcd-quota-backend-bytes", QUOTA)
    assert "large" in names(here)
    assert here.kctl("create", "configmap", "after").code == 0


@pytest.mark.parametrize("quantity", ["lots", "1", "-8Gi"])
def test_a_quota_that_is_none_is_refused(here: Machine, quantity: str) -> None:
    done = here.kctl("up", "-d", "--etcd-quota-backend-bytes", quantity)
    assert (done.code, "--etcd-quota-backend-bytes" in done.stderr) == (1, True)
