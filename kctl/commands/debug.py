"""`kctl debug`: look around where something is wrong. Kubernetes: kubectl/pkg/cmd/debug/debug.go."""

from __future__ import annotations

from kctl.changes.debug import options, visit
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.objects import Query, resolve
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    debugging = options.read(flags)
    options.check(session, debugging)
    words = [name if "/" in name else f"pods/{name}" for name in debugging.targets]
    result = await resolve(session, Query.of(flags, words))
    async for info in result.visit():
        await visit.visit(session, debugging, info)


COMMAND = Command(
    "debug",
    "debug (POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
    "Look around in a pod or on a node with a container of your own",
    run=run,
    flags=(
        Flag("filename", "slice", (), "Take the pods or nodes from this file, directory or URL.", "f"),
        Flag("image", usage="The image of the new container."),
        Flag(
            "image-pull-policy",
            usage="When to pull the image: Always, IfNotPresent or Never. Without it the server decides.",
        ),
        Flag("container", usage="The new container's name; with --copy-to also one that is there.", short="c"),
        Flag("env", "map", {}, "An environment variable of the container, NAME=value; may be repeated."),
        switch("arguments-only", "What follows -- are arguments for the image's entry point, and not a command."),
        switch("stdin", "Keep the container's standard input open, and pass ours on.", short="i"),
        switch("tty", "Give the container a terminal. Needs -i.", short="t"),
        switch("attach", "Wait until the container runs and join its process. On by itself with -i."),
        switch("quiet", "Say nothing but what the process says.", short="q"),
        Flag("target", usage="Share the processes of this container of the pod."),
        Flag("copy-to", usage="Leave the pod alone and work on a copy with this name."),
        Flag("set-image", "map", {}, "In the copy, give containers these images: name=image; * means all."),
        switch("replace", "Delete the original once there is a copy."),
        switch("same-node", "Put the copy on the node of the original."),
        switch("share-processes", "Let the containers of the copy see each other's processes.", default=True),
        switch("keep-labels", "Keep the labels in the copy. Services then send it traffic."),
        switch("keep-annotations", "Keep the annotations in the copy."),
        switch("keep-liveness", "Keep the liveness probes in the copy."),
        switch("keep-readiness", "Keep the readiness probes in the copy."),
        switch("keep-startup", "Keep the startup probes in the copy."),
        switch("keep-init-containers", "Run the init containers in the copy, too.", default=True),
        Flag(
            "profile",
            "text",
            "general",
            "How far the container may reach: general, baseline, restricted, netadmin or sysadmin.",
        ),
        Flag("custom", usage="A JSON or YAML file with part of a container, laid over what the profile makes."),
    ),
    description="""\
Look around where something is wrong, with an image that has the tools for it.

  POD                 adds a container to the pod while it runs; it stays until the pod is gone
  POD --copy-to=NAME  makes a copy of the pod, with another container, other images or another command
  node/NAME           starts a pod on the node, in its namespaces, with its file system under /host

With -it kctl waits for the container and joins it. What the container may do is --profile: general can trace processes,
baseline and restricted keep to the pod security standards of these names, netadmin may change the network, sysadmin is
privileged.""",
    examples="""\
# A shell beside the processes of a pod
kctl debug web-0 -it --image=busybox --target=nginx

# The same pod with a shell where its program would run
kctl debug web-0 -it --copy-to=web-debug --container=nginx -- sh

# A copy with other images
kctl debug web-0 --copy-to=web-debug --set-image=*=example/debug

# Take the place of the original, on its node
kctl debug web-0 -it --image=busybox --copy-to=web-debug --same-node --replace

# A shell on a node; its files are under /host
kctl debug node/worker-1 -it --image=busybox

# Capture packets
kctl debug web-0 -it --image=nicolaka/netshoot --profile=netadmin -- tcpdump -i eth0

# Something that no profile has
kctl debug web-0 -it --image=busybox --custom=container.yaml""",
)
