"""The fixtures for pytest, in suites of their own: each is a process, as users' suites are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Where localplane is installed, pytest loads the plugin by its entry point; here it has to be named.
PYTEST = (sys.executable, "-m", "pytest", "-p", "no:localplane", "-p", "localplane.testing.plugin", "-q", "-rA")

SUITE = """
    import os
    import subprocess
    import unittest
    from pathlib import Path

    import pytest

    from localplane import testing
    from localplane.apimachinery.errors import Forbidden
    from localplane.client.kubeconfig import load, resolve

    AT_IMPORT = os.environ["KUBECONFIG"]
    CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}}


    @pytest.mark.parametrize("number", range(6))
    def test_each_has_its_own(cluster, number):
        assert cluster.list("configmaps", "default") == []
        cluster.create(CONFIG_MAP)
        assert cluster.get("gizmo/first")["spec"] == {"size": 1}
        assert resolve(load()).server == resolve(load(Path(AT_IMPORT))).server == cluster.url


    async def test_coroutines(async_cluster, namespace):
        await async_cluster.create(CONFIG_MAP, namespace)
        async with async_cluster.client() as client:
            assert await client.discovery().discover()
        assert (await async_cluster.wait_for("cm/mine", namespace=namespace))["metadata"]["name"] == "mine"


    def test_runners(kctl, kubeconfig, namespace):
        assert kctl("get", "ns", namespace, "-o", "name").stdout == f"namespace/{namespace}\\n"
        assert kubeconfig.stat().st_mode & 0o777 == 0o600


    @pytest.mark.localplane(users={"ben": ["dev"]}, manifests=["more.yaml"], controllers=["none"])
    class TestMarked:
        def test_a_marker_adds(self, cluster):
            assert cluster.get("gizmo/more")["spec"] == {"size": 2}
            with pytest.raises(Forbidden):
                cluster.users["ben"].list("gizmos", "default")

        @pytest.mark.localplane(storage="sqlite")
        def test_the_nearest_counts(self, cluster):
            assert "sqlite" in cluster.asynchronous.plane.storage.store.lower()
            assert cluster.get("gizmo/more")


    def test_what_is_made_in_the_plane_is_in_later_clusters(plane, request):
        plane.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "shared"}})
        cluster = request.getfixturevalue("cluster")
        assert cluster.get("secret/shared")
        assert cluster.users["ann"].url == cluster.url


    def test_the_developers_cluster_is_out_of_reach():
        assert resolve(load()).server == "https://use-the-cluster-fixture.localplane.invalid:9"
        assert AT_IMPORT == os.environ["KUBECONFIG"]
        assert "developer" not in Path(os.environ["KUBECONFIG"]).read_text()
        assert "KUBERNETES_SERVICE_HOST" not in os.environ


    class TestUnittest(unittest.TestCase):
        @pytest.fixture(autouse=True)
        def _cluster(self, cluster):
            self.cluster = cluster

        def test_unittest(self):
            self.assertEqual(self.cluster.get("gizmo/first")["kind"], "Gizmo")
"""
CRD = """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: gizmos.example.com}
    spec:
      group: example.com
      scope: Namespaced
      names: {plural: gizmos, kind: Gizmo, singular: gizmo}
      versions:
      - name: v1
        served: true
        storage: true
        schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
INI = """
    [pytest]
    asyncio_mode = auto
    asyncio_default_fixture_loop_scope = function
    filterwarnings = error
    localplane_crds = crds
    localplane_manifests = first.yaml
    localplane_controllers = none
    localplane_users =
        ann=readers
"""
DEVELOPERS = '{"apiVersion": "v1", "kind": "Config", "current-context": "developers-own"}'


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_py", ".py").replace("_ini", ".ini")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home = folder / "home"
    (home / ".kube").mkdir(parents=True, exist_ok=True)
    (home / ".kube" / "config").write_text(DEVELOPERS)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "KUBE", "COV"))}
    env |= {"HOME": str(home), "KUBECONFIG": str(home / ".kube" / "config"), "KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    env |= {"TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(ROOT)}
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.run(
        [*PYTEST, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False
    )


def gizmo(name: str, size: int) -> str:
    return f"apiVersion: example.com/v1\nkind: Gizmo\nmetadata: {{name: {name}}}\nspec: {{size: {size}}}\n"


FAILING = """
    import pytest

    EVENT = {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Thing", "name": "x"}, "reason": "Odd", "message": "this is why",
    }


    def test_fails(cluster):
        cluster.create(EVENT)
        cluster.wait_for("cm/none", timeout=0.1)


    @pytest.mark.localplane(colour="blue")
    def test_a(cluster):
        pass


    @pytest.mark.localplane(storage="paper")
    def test_b(cluster):
        pass
"""


@pytest.mark.timeout(600)
def test_a_suite_with_everything_in_several_processes(tmp_path: Path) -> None:
    """What passes, what a failure tells of its cluster, what is said of wrong markers, and that nothing is left."""
    folder = written(
        tmp_path,
        test_suite_py=SUITE,
        test_failing_py=FAILING,
        crds__gizmos_yaml=CRD,
        first_yaml=gizmo("first", 1),
        more_yaml=gizmo("more", 2),
        pytest_ini=INI,
    )
    ended = run(folder, "-n", "2")
    assert re.search(r"\b1 failed, 13 passed, 2 errors", ended.stdout), ended.stdout + ended.stderr
    assert "configmaps/none in default was not created within 0.1 seconds" in ended.stdout
    assert "localplane cluster" in ended.stdout
    assert "Thing/x: this is why" in ended.stdout
    assert "the marker localplane has no 'colour': there are controllers, nodes, seed, storage" in ended.stdout
    assert 'there is no storage "paper"' in ended.stdout
    assert (folder / "home" / ".kube" / "config").read_text() == DEVELOPERS
    assert sorted(path.name for path in (folder / "home").iterdir()) == [".kube"]
    assert [path for path in (folder / "tmp").iterdir() if path.name.startswith("localplane")] == []


@pytest.mark.timeout(600)
def test_a_suite_without_clusters_is_left_alone(tmp_path: Path) -> None:
    suite = """
        import os
        import sys

        import pytest

        @pytest.fixture
        def cluster():
            return "another one"

        def test_it(cluster):
            assert os.environ["KUBECONFIG"].endswith("/.kube/config")
            assert "localplane.compose" not in sys.modules
    """
    ended = run(written(tmp_path, test_suite_py=suite))
    assert ended.returncode == 0, ended.stdout


IMPORTED_EARLY = """
    import os

    FOUND = os.environ["KUBECONFIG"], "KUBERNETES_SERVICE_HOST" in os.environ

    def test_it():
        assert FOUND == (os.environ["KUBECONFIG"], False)
        assert "use-the-cluster-fixture" in open(FOUND[0]).read()
"""
"""As a client does that looks for its cluster when it is imported."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_module_that_knows_nothing_of_us_is_guarded_if_another_has_a_cluster(tmp_path: Path, processes: str) -> None:
    suite = "def test_it(cluster, kubeconfig):\n    assert cluster.kubeconfig == kubeconfig\n"
    conftest = "import os\n\nassert os.environ['KUBECONFIG'].endswith('/kubeconfig'), os.environ['KUBECONFIG']\n"
    files = {"test_a_py": IMPORTED_EARLY, "later__test_b_py": suite, "conftest_py": conftest}
    ini = "[pytest]\npython_files = test_*.py\n"
    ended = run(written(tmp_path, **files, pytest_ini=ini), "-n", processes, "--dist", "loadfile")
    assert "2 passed" in ended.stdout, ended.stdout + ended.stderr


def test_pytest_finds_the_plugin_where_the_package_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"localplane": "localplane.testing.plugin"}
