"""`kctl cp`: files to and from containers. Kubernetes: kubectl/pkg/cmd/cp/cp.go."""

from __future__ import annotations

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.streaming import channels, file_copy
from kctl.streaming import remote as streaming_remote


async def run(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) != 2:
        raise KctlError("source and destination are required")
    source, target = file_copy.place(flags.arguments[0]), file_copy.place(flags.arguments[1])
    if source.pod and target.pod:
        raise KctlError("one of src or dest must be a local file specification")
    if not source.file or not target.file:
        raise KctlError("filepath can not be empty")
    if not source.pod and not target.pod:
        raise KctlError("one of src or dest must be a remote file specification")
    ours = streaming_remote.standard_streams(stdin=False, terminal=False)
    assert ours.err is not None  # there is no terminal
    remote = file_copy.Remote(session, source if source.pod else target, flags.text("container"))
    if source.pod:
        program = session.command.partition(" ")[0]
        code = await file_copy.download(
            session, remote, source, target.file, retries=flags.number("retries"), out=ours.out, program=program
        )
    else:
        no_preserve = flags.is_on("no-preserve")
        code = await file_copy.upload(
            remote, source.file, target.file, no_preserve=no_preserve, out=ours.out, err=ours.err
        )
    channels.say_exit_code(session, code)


COMMAND = Command(
    "cp",
    "cp <file-spec-src> <file-spec-dest>",
    "Copy files to and from containers",
    run=run,
    concurrent=True,
    flags=(
        standard_flags.CONTAINER,
        switch("no-preserve", "Don't give files in the container our files' owner and permissions."),
        Flag(
            "retries",
            "int",
            0,
            "How often to resume a copy from a container that stops before its end; a negative number is for ever.",
        ),
    ),
    description="""\
Copy files and directories between this machine and a container.

A place in a container is `POD:PATH` or `NAMESPACE/POD:PATH`, and one of the two has to be one. The container needs a
`tar`. A directory that is there already gets a copy inside of it when files go to the container; when they come from
there, the last word is the name of the copy. Links in what a container sends are left out, and so is what would be
written elsewhere.""",
    examples="""\
# A directory to a pod, and back
kctl cp ./site web-0:/usr/share/site
kctl cp web-0:/usr/share/site ./copy

# To a certain container of a pod in another namespace
kctl cp settings.yaml shop/web-0:/etc/settings.yaml -c worker

# Without our owner and permissions
kctl cp --no-preserve ./site web-0:/srv/site

# A large file over a bad line
kctl cp --retries=10 web-0:/var/dump.sql dump.sql

# Links, and other things that tar can do, through tar itself
kctl exec web-0 -- tar cf - /srv | tar xf - -C ./srv""",
)
