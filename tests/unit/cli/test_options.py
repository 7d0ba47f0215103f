"""What contradicts itself is told before anything is started."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from localplane.cli.errors import OptionsContradict
from localplane.cli.options import UpOptions

HERE = Path("here")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"storage": "floppy"}, 'there is no --storage "floppy": it is one of etcd, sqlite, memory'),
        ({"etcd_servers": ("a",), "storage": "sqlite"}, "--etcd-servers and --storage=sqlite contradict"),
        ({"etcd_servers": ("a",), "etcd": HERE}, "--etcd-servers and --etcd contradict"),
        ({"etcd_servers": ("a",), "ephemeral": True}, "--etcd-servers and --ephemeral contradict"),
        ({"etcd_servers": ("a",), "data_dir": HERE}, "--etcd-servers and --data-dir contradict"),
        ({"etcd_cafile": HERE}, "--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers"),
        ({"etcd_certfile": HERE}, "--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers"),
        ({"etcd_keyfile": HERE}, "--etcd-cafile, --etcd-certfile and --etcd-keyfile are for --etcd-servers"),
        ({"etcd": HERE, "storage": "memory"}, "--etcd and --storage=memory contradict"),
        ({"data_dir": HERE, "ephemeral": True}, "--data-dir and --ephemeral contradict"),
        ({"data_dir": HERE, "storage": "memory"}, "--data-dir and --storage=memory contradict"),
        ({"port": 65536}, "--port 65536 is not between 0 and 65535"),
        ({"port": -1}, "--port -1 is not between 0 and 65535"),
        ({"bind_address": "home"}, '--bind-address "home" is no IP address'),
        ({"bind_address": "0.0.0.0"}, "--bind-address 0.0.0.0 lets other machines in: say --allow-remote"),
        ({"bind_address": "::"}, "--bind-address :: lets other machines in: say --allow-remote"),
        ({"watch": True}, "--watch needs manifests to watch"),
        ({"watch": True, "filenames": ("-",)}, "--watch and -f - contradict"),
        ({"wait": False}, "--no-wait is for --detach"),
        ({"timeout": timedelta(0)}, "--timeout must be longer than nothing"),
        ({"crds": (Path("/nowhere"),)}, '--crds: the path "/nowhere" does not exist'),
    ],
)
def test_contradictions_are_told(given: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionsContradict) as caught:
        UpOptions(**given).checked()
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"bind_address": "127.0.0.2"},
        {"bind_address": "::1"},
        {"bind_address": "0.0.0.0", "allow_remote": True},
        {"etcd_servers": ("a",), "storage": "etcd", "etcd_cafile": HERE},
        {"detach": True, "wait": False},
        {"port": 0},
    ],
)
def test_what_does_not_is_accepted(given: dict[str, Any]) -> None:
    UpOptions(**given).checked()


def test_a_detached_plane_leaves_the_directory_so_paths_become_absolute() -> None:
    checked = UpOptions(data_dir=HERE, kubeconfig=HERE, filenames=("a", "-"), crds=(Path("tests"),)).checked()
    assert checked.data_dir == checked.kubeconfig == HERE.absolute()
    assert checked.filenames == (str(Path("a").absolute()), "-")
    assert checked.crds == (Path("tests").absolute(),)
