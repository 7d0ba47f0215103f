"""`kctl run`: a pod with one container. Kubernetes: kubectl/pkg/cmd/run/run.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.change_cause import RECORD, annotated, recorded
from kctl.changes.deletion import DELETION_FLAGS, Deletion, propagation_policy, wait
from kctl.changes.launch import foreground
from kctl.changes.launch import pod as launch_pod
from kctl.changes.launch.request import OVERRIDE_FLAGS, overridden, require, save_configuration, send
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import raise_all
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from kctl.streaming import pods
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject

_IGNORED = "it is ignored by kubectl run and will be removed in a future release"


async def run(session: Session, flags: FlagSet) -> None:
    require(flags, "image")
    options = launch_pod.read(flags)
    pods.timeout_of(flags)
    attaches = flags.is_on("attach") if flags.changed("attach") else flags.is_on("stdin")
    mode = dry_run.dry_run(session)
    printer = typed.printer_for(flags, "created", dry_run=mode)
    deletion = Deletion(policy=propagation_policy(session))
    launch_pod.check(flags, attaches=attaches, dry_run=mode != "none")
    pod = await overridden(session, flags, launch_pod.pod(flags, options))
    made = [await _create(session, flags, pod, "pods", mode)]
    errors: list[Exception] = []
    if flags.is_on("expose"):
        try:
            made.append(await _create(session, flags, launch_pod.service(flags, options), "services", mode))
        except APIError as error:
            errors.append(error)
    if attaches:
        try:
            foreground.concurrently(session, lambda own: foreground.stay(own, flags, made[0], options.restart))
        finally:
            if flags.is_on("rm"):
                await foreground.remove(session, flags, made, deletion)
        return
    for obj in made:
        printer.print(obj, session.write_object)
    raise_all(errors)


async def _create(session: Session, flags: FlagSet, obj: JSONObject, resource: str, mode: str) -> JSONObject:
    obj = annotated(obj, recorded(session))
    if mode == "client":
        await session.discovery.mapper()  # kubectl asks where pods are, even if it sends none
        if session.namespace_is_explicit:
            metadata = obj["metadata"]
            obj["metadata"] = {"name": metadata.get("name"), **metadata, "namespace": session.namespace}
        return obj
    save_configuration(obj, asked=flags.is_on("save-config"))
    return await send(session, flags, obj, resource, dry_run=mode == "server")


COMMAND = Command(
    "run",
    'run NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] '
    "[--command] -- [COMMAND] [args...]",
    "Start a pod from an image",
    run=run,
    flags=(
        *output_flags(),
        standard_flags.DRY_RUN,
        Flag("annotations", "array", (), "An annotation of the pod, key=value; may be repeated."),
        Flag("image", usage="The container's image. Required."),
        Flag(
            "image-pull-policy",
            usage="When to pull the image: Always, IfNotPresent or Never. Without it the server decides.",
        ),
        Flag("env", "array", (), "An environment variable of the container, NAME=value; may be repeated."),
        Flag("port", usage="The port on which the container listens."),
        Flag("labels", usage="The pod's labels, key=value,key=value. Without it: run=NAME.", short="l"),
        Flag(
            "restart",
            "text",
            "Always",
            "When the kubelet starts the container again: Always, OnFailure or Never.",
        ),
        switch("command", "What follows -- replaces the image's entry point, and not only its arguments."),
        switch("expose", "Make a service for the pod, too. Needs --port."),
        switch("privileged", "Give the container the rights of a process on the node."),
        switch("stdin", "Keep the container's standard input open, and pass ours on.", short="i"),
        switch("tty", "Give the container a terminal. Needs -i.", short="t"),
        switch(
            "attach",
            "Wait until the pod runs and join its process, as `kctl attach` does. On by itself with -i. With "
            "--restart=Never its exit code becomes ours.",
        ),
        switch("rm", "Delete the pod when the process has ended, or we have left it. Needs --attach or -i."),
        switch("leave-stdin-open", "Do not close the container's input when the first who is attached leaves."),
        Flag("detach-keys", "text", "ctrl-p,ctrl-q", "The keys that leave the process without ending it."),
        switch("quiet", "Say nothing but what the process says.", short="q"),
        standard_flags.pod_running_timeout(60.0),
        standard_flags.field_manager("kubectl-run"),
        standard_flags.SAVE_CONFIG,
        *OVERRIDE_FLAGS,
        *DELETION_FLAGS,
        wait(default=False),
        *(
            flag._replace(hidden=True, deprecated=_IGNORED, short_deprecated=_IGNORED)
            if flag.name == "filename"
            else flag
            for flag in standard_flags.filename_flags("to use to replace the resource.")
        ),
        RECORD,
    ),
    description="""\
Start a pod with one container, from an image.

With -i or --attach kctl stays with it: it waits until the pod runs, shows what the process prints and, with -i,
passes on what is typed. Add -t for a shell, --rm for a pod that is gone afterwards, and --restart=Never to get the
exit code of the process.""",
    examples="""\
# A web server, in the background
kctl run web --image=nginx --port=80

# The same, with a service in front of it
kctl run web --image=nginx --port=80 --expose

# A shell in the cluster that leaves nothing behind
kctl run shell --image=busybox -it --rm --restart=Never

# One command, and its exit code
kctl run check --image=curlimages/curl --attach --rm -q --restart=Never -- curl -fsS http://web

# Variables and labels
kctl run worker --image=example/worker --env=QUEUE=mail --env=LEVEL=debug --labels=app=worker,tier=back

# Another program than the image's own
kctl run sleeper --image=busybox --command -- sleep 1h

# A manifest to start from
kctl run web --image=nginx --dry-run=client -o yaml > web.yaml

# Anything that has no flag
kctl run host --image=busybox --overrides='{"spec":{"hostNetwork":true}}'""",
)
