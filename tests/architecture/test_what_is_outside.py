"""Whoever talks to others does it in the one place where that is done right."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.sources import trees

PACKAGES = ("kctl", "localplane")

CONTEXTS = {
    "localplane/tls/contexts.py": "the contexts of all clients",
    "localplane/apiserver/server/tls.py": "the server's own",
}
MAKERS = ("SSLContext", "create_default_context", "_create_unverified_context", "_create_default_https_context")

ONE_READ_IS_ENOUGH = {
    "localplane/cli/validation/sources.py": "a buffered reader of a pipe waits for as many, or for its end",
    "localplane/cli/daemon.py": "one byte through a pipe of our own",
    "localplane/cli/kube_apiserver/stand_in.py": "its caller asks until the head is complete",
    "localplane/apiserver/server/listener.py": "the first byte tells TLS from HTTP; the rest is thrown away",
    "localplane/apiserver/storage/etcd/program/binary.py": "a file's first bytes",
    "localplane/apiserver/storage/sqlite/schema.py": "a file's first bytes",
    "localplane/client/transport/blocking_transport.py": "its callers ask until the answer is complete",
    "localplane/client/transport/downloads.py": "urllib reads until it has so many, and the length is compared",
    "kctl/kustomize/loading/loader.py": "a file",
    "kctl/objects/files.py": "a file",
    "kctl/views/watch/screen.py": "a key",
    "kctl/streaming/file_copy.py": "its caller asks until there is nothing left",
    "kctl/streaming/remote.py": "its caller asks until there is nothing left",
    "kctl/streaming/spdy.py": "its callers ask until there is nothing left",
}
"""Where something is read up to a size outside of a loop, and why that is the whole."""


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called(call: ast.Call) -> str:
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def test_contexts_are_made_in_one_place() -> None:
    """Others would trust by OpenSSL's rules, or by nobody's."""
    found = [
        f"{name}:{call.lineno}"
        for name, tree in trees(PACKAGES, MAKERS)
        if name not in CONTEXTS
        for call in calls(tree)
        if called(call) in MAKERS
    ]
    assert found == []


def test_nobody_lets_a_library_make_a_context() -> None:
    """urllib and aiohttp make one if they are given none."""
    wanted = {"urlopen": "context", "TCPConnector": "ssl"}
    found = [
        f"{name}:{call.lineno}"
        for name, tree in trees(PACKAGES, wanted)
        for call in calls(tree)
        if called(call) in wanted and wanted[called(call)] not in {each.arg for each in call.keywords}
    ]
    assert found == []


SOME = ("recv", "recv_into", "readany", "readchunk", "read1")


def _reads_some(call: ast.Call) -> bool:
    """`x.read(n)`, `x.recv(n)`: what is there now, and perhaps not all of it."""
    if called(call) in SOME:
        return True
    return called(call) == "read" and isinstance(call.func, ast.Attribute) and _is_a_size(call)


def _is_a_size(call: ast.Call) -> bool:
    """A number, or a name that is written as a constant's."""
    sizes = [*call.args, *(each.value for each in call.keywords)]
    words = [node for size in sizes for node in ast.walk(size)]
    return any(
        (isinstance(node, ast.Constant) and isinstance(node.value, int))
        or (isinstance(node, ast.Name) and node.id.isupper())
        for node in words
    )


def _outside_of_loops(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.While | ast.For | ast.AsyncFor | ast.GeneratorExp | ast.ListComp):
            continue
        if isinstance(node, ast.Call) and called(node) == "iter":
            continue  # iter(read, end) is a loop
        if isinstance(node, ast.Call):
            yield node
        yield from _outside_of_loops(node)


def test_what_is_there_now_is_never_taken_for_the_whole() -> None:
    found = {
        name: call.lineno
        for name, tree in trees(PACKAGES, ["read", *SOME])
        for call in _outside_of_loops(tree)
        if _reads_some(call)
    }
    assert {name: line for name, line in found.items() if name not in ONE_READ_IS_ENOUGH} == {}
    assert sorted(ONE_READ_IS_ENOUGH.keys() - found.keys()) == [], "these need no excuse any longer"
