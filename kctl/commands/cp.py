"""`kctl cp`: files to and from containers. Kubernetes: kubectl/pkg/cmd/cp/cp.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, UsageError
from kctl.flags import switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.streaming.channels import say_exit_code
    from kctl.streaming.copying import Remote, download, place, upload
    from kctl.streaming.pods import container_of, refuse_completed
    from localplane.client.names import GroupVersionResource

    if len(given.arguments) != 2:
        raise UsageError("source and destination are required", hint="See 'kctl cp -h' for help and examples")
    source, target = place(given.arguments[0]), place(given.arguments[1])
    if source.pod and target.pod:
        raise KctlError("one of src or dest must be a local file specification")
    there = source if source.pod else target
    if not there.pod:
        raise KctlError("one of src or dest must be a remote file specification")
    if not source.file or not target.file:
        raise KctlError("filepath can not be empty")
    pods = session.client.resource(GroupVersionResource("", "v1", "pods"), there.namespace or session.namespace)
    pod = await pods.get(there.pod)
    refuse_completed(pod, "exec into")
    remote = Remote(session, pod, container_of(session, pod, given.text("container"))["name"])
    if source.pod:
        code = await download(session, remote, source.file, target.file)
    else:
        code = await upload(session, remote, source.file, target.file, no_preserve=given.is_on("no-preserve"))
    say_exit_code(session, code)


COMMAND = Command(
    "cp",
    "cp <file-spec-src> <file-spec-dest>",
    "Copy files and directories to and from containers",
    run=run,
    concurrent=True,
    flags=(
        standard_flags.CONTAINER,
        switch(
            "no-preserve",
            "The copied file/directory's ownership and permissions will not be preserved in the container",
        ),
    ),
    description="""\
Copy files and directories to and from containers.

This needs a 'tar' in the container. Links in what a container sends are left out.""",
    examples="""\
# Copy /tmp/foo_dir local directory to /tmp/bar_dir in a remote pod in the default namespace
kctl cp /tmp/foo_dir <some-pod>:/tmp/bar_dir

# Copy /tmp/foo local file to /tmp/bar in a remote pod in a specific container
kctl cp /tmp/foo <some-pod>:/tmp/bar -c <specific-container>

# Copy /tmp/foo from a remote pod to /tmp/bar locally
kctl cp <some-namespace>/<some-pod>:/tmp/foo /tmp/bar""",
)
