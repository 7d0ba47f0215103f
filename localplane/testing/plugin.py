"""Fixtures for pytest: a cluster of its own for each test, in milliseconds. Installed with localplane, and idle unless
a test asks for one of them.

    def test_it(cluster):                     a fresh cluster, which nobody else sees
        cluster.apply("deploy/crd.yaml")

    plane             the cluster that those of all tests are branched from; once for each kind, in each process
    cluster           fresh and isolated, for one test; KUBECONFIG leads to it meanwhile
    async_cluster     the same for coroutines: its methods are awaited
    namespace         a new namespace in it, by name
    kubeconfig        the path of the cluster's kubeconfig
    kctl, kubectl     run a command line against it

    @pytest.mark.localplane(nodes=0, crds=["config/crd"], manifests=[...], storage="sqlite", users={"ann": ["dev"]})

is for a test, a class or a module; the options are those of `testing.cluster`. For all tests they stand in pytest's
configuration: localplane_storage, localplane_controllers, localplane_nodes, localplane_seed, localplane_crds,
localplane_manifests, localplane_users (`ann=dev,ops`). Paths are relative to the file that names them, or to the root.

KUBECONFIG and ~/.kube/config are out of reach before anything of the project is imported, in each process of xdist too,
if its tests use a cluster: one is configured, a test module or conftest.py of the run speaks of localplane, or asks for
one of these fixtures (`projects` reads their text). When all tests are known and none uses one, everything is as it
was. `localplane_guard = always` has it whatever the tests say, and `never` not at all. The variable names the same file
all the time, whose content changes: clients that have read it when they were imported find each test's cluster.

Nothing of localplane is imported before the first of these fixtures is used.
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import ModuleType

    from .blocking import Cluster
    from .clusters import AsyncCluster
    from .commands import Command
    from .guard import Guard
    from .sessions import Session


class _AsTheyAre:
    """Finds our modules before pytest does, which rewrites the assertions of whatever comes with a plugin: a thousand
    modules would be parsed again in each process, some of them in threads, for assertions that no test reads."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        return PathFinder.find_spec(name, path, target) if name.startswith(("localplane.", "kctl.")) else None


sys.meta_path.insert(0, _AsTheyAre)

_FIXTURES = frozenset(("plane", "cluster", "async_cluster", "namespace", "kubeconfig", "kctl", "kubectl"))
_MARKER = (
    "localplane(controllers, nodes, seed, storage, enabled_admission_plugins, disabled_admission_plugins, crds, "
    "manifests, users): what the cluster of a test is to be; see localplane.testing.cluster"
)
_OPTIONS = ("storage", "controllers", "nodes", "seed", "crds", "manifests", "users")
_GUARDS = ("auto", "always", "never")
_session = pytest.StashKey["Session"]()
_guard = pytest.StashKey["Guard"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("localplane_storage", "the store of tests' clusters: memory (default), sqlite or etcd", default="")
    parser.addini("localplane_controllers", "controllers of tests' clusters, as `kctl up` takes them", type="args")
    parser.addini("localplane_nodes", "how many nodes tests' clusters simulate", default="")
    parser.addini("localplane_seed", "makes simulated nodes and the scheduler choose the same each time", default="")
    parser.addini("localplane_crds", "files and folders of definitions that are there from the beginning", type="args")
    parser.addini("localplane_manifests", "files and folders that are applied to begin with", type="args")
    parser.addini("localplane_users", "users that tests' clusters have: NAME=GROUP,GROUP", type="linelist")
    parser.addini(
        "localplane_guard",
        "keep KUBECONFIG away from the developer's own clusters: auto (if a test uses a cluster), always, never",
        default="auto",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before anything of the project is imported."""
    _guard_early(early_config)


def pytest_configure(config: pytest.Config) -> None:
    """Where a conftest.py has named this plugin, it comes too late for the hook above."""
    config.addinivalue_line("markers", _MARKER)
    _guard_early(config)


def _guard_early(config: pytest.Config) -> None:
    mode = config.getini("localplane_guard")
    if mode not in _GUARDS:
        raise pytest.UsageError(f"localplane_guard is {mode!r}, and should be one of {', '.join(_GUARDS)}")
    if config.stash.get(_guard, None) is None and (mode == "always" or (mode == "auto" and _has_clusters(config))):
        _guarding(config).begin()


def _has_clusters(config: pytest.Config) -> bool:
    """Whether the tests of this project use a cluster, as far as one can see before they are imported."""
    if any(config.getini(f"localplane_{name}") for name in _OPTIONS):
        return True
    from .projects import Run, uses_fixtures

    said = getattr(config.known_args_namespace, "file_or_dir", ())
    paths = said or [str(path) for path in _test_paths(config)]
    others = [plugin for plugin in config.pluginmanager.get_plugins() if getattr(plugin, "__name__", "") != __name__]
    return uses_fixtures(
        Run(
            arguments=paths,
            root=config.rootpath,
            patterns=config.getini("python_files"),
            passed_over=config.getini("norecursedirs"),
        ),
        {name: any(hasattr(plugin, name) for plugin in others) for name in _FIXTURES},
    )


def _test_paths(config: pytest.Config) -> list[Path]:
    """What pytest collects when it is told nothing: testpaths from the root, or what is here."""
    here = config.invocation_params.dir
    if here != config.rootpath:
        return [here]
    return [path for name in config.getini("testpaths") for path in config.rootpath.glob(name)] or [here]


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> None:
    """Before a module is imported, since clients may look for a cluster then: does it speak of us?"""
    if parent.config.getini("localplane_guard") == "auto" and b"localplane" in module_path.read_bytes():
        _guarding(parent.config).begin()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Before any fixture runs. Whoever only speaks of us and has no cluster is left alone."""
    if config.getini("localplane_guard") == "auto":
        if any(map(_uses_a_cluster, items)):
            _guarding(config).begin()
        else:
            _guarding(config).end()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist may be gone before anything is unconfigured."""
    _end(session.config)


def pytest_unconfigure(config: pytest.Config) -> None:
    _end(config)


def _end(config: pytest.Config) -> None:
    session, guard = config.stash.get(_session, None), config.stash.get(_guard, None)
    try:
        if session is not None:
            session.close()
    finally:
        if guard is not None:
            guard.end()


def _uses_a_cluster(item: pytest.Item) -> bool:
    names = getattr(item, "fixturenames", ())
    if not _FIXTURES.intersection(names):
        return False
    definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    return any(_is_ours(name, definitions.get(name, ())) for name in names)


def _is_ours(name: str, definitions: Sequence[Any]) -> bool:
    """Others may have fixtures of the same name, on top of ours or instead of it."""
    for definition in reversed(definitions):
        if definition.func.__module__ == __name__:
            return True
        if name not in definition.argnames:
            return False
    return False


def _guarding(config: pytest.Config) -> Guard:
    from .guard import Guard

    if (guard := config.stash.get(_guard, None)) is None:
        guard = config.stash[_guard] = Guard()
    return guard


def _opened(config: pytest.Config) -> Session:
    from .sessions import Session

    if (session := config.stash.get(_session, None)) is None:
        session = config.stash[_session] = Session(config)
    return session


@pytest.fixture(scope="session")
def plane(pytestconfig: pytest.Config) -> Cluster:
    """The cluster that is configured for all tests, as it is before they begin. What is made in it is in the clusters
    of all tests that begin later."""
    return _opened(pytestconfig).template()


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A fresh cluster, which nobody else sees; KUBECONFIG leads to it while the test runs."""
    session = _opened(request.config)
    with session.cluster(request.node) as opened, _guarding(request.config).towards(opened.env):
        yield opened


@pytest.fixture
def async_cluster(cluster: Cluster) -> AsyncCluster:
    """The test's cluster, whose methods are awaited."""
    return cluster.asynchronous


@pytest.fixture
def namespace(cluster: Cluster) -> str:
    """A new namespace in the test's cluster, by its name."""
    made = cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "test-"}})
    return str(made["metadata"]["name"])


@pytest.fixture
def kubeconfig(cluster: Cluster) -> Path:
    """Of the test's cluster, for its administrator."""
    return cluster.kubeconfig


@pytest.fixture
def kctl(cluster: Cluster) -> Command:
    """`kctl("get", "pods")` against the test's cluster."""
    return cluster.kctl


@pytest.fixture
def kubectl(cluster: Cluster) -> Command:
    """`kubectl("get", "pods")` against the test's cluster."""
    return cluster.kubectl


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """A test that failed tells what happened in its cluster."""
    outcome: Any = yield
    report = outcome.get_result()
    opened: Any = getattr(item, "funcargs", {}).get("cluster")
    session = item.config.stash.get(_session, None)
    if call.when == "call" and report.failed and session is not None and session.knows(opened):
        report.sections.append(("localplane cluster", session.story(opened)))
