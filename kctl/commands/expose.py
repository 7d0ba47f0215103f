"""`kctl expose`: a service for what is there. Kubernetes: kubectl/pkg/cmd/expose/expose.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.change_cause import RECORD, annotated, recorded
from kctl.changes.launch import service
from kctl.changes.launch.request import OVERRIDE_FLAGS, overridden, save_configuration, send
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.objects import Info, Query, decoding, resolve
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    mode = dry_run.dry_run(session)
    printer = typed.printer_for(flags, "exposed", dry_run=mode)
    query = Query.of(flags)._replace(label_selector="", keep_going=True, flatten=True)
    result = await resolve(session, query)
    exposing = service.Exposing(flags)

    async def expose(info: Info) -> None:
        kind = info.rest_mapping.kind
        decoding.check_registered(str(kind.group_version), kind.kind)
        service = exposing.service(kind.group, kind.kind, info.object or {})
        service = annotated(await overridden(session, flags, service), recorded(session))
        if mode == "client":
            if session.namespace_is_explicit:
                service["metadata"]["namespace"] = session.namespace
        else:
            save_configuration(service, asked=flags.is_on("save-config"))
            service = await send(session, flags, service, "services", dry_run=mode == "server")
        printer.print(service, session.write_object)

    await result.each(expose)


COMMAND = Command(
    "expose",
    "expose (-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] "
    "[--name=name] [--external-ip=external-ip-of-service] [--type=type]",
    "Put a service in front of pods",
    run=run,
    flags=(
        *output_flags(),
        Flag("protocol", usage="TCP, UDP or SCTP. Without it that of the container's port, or TCP."),
        Flag("port", usage="The service's port, or several: 80,443. Without it the ports of the containers."),
        Flag("type", usage="ClusterIP (the default), NodePort, LoadBalancer or ExternalName."),
        Flag("load-balancer-ip", usage="The address that a LoadBalancer is to have, where the cloud can choose."),
        Flag("selector", usage="Which pods, key=value,key=value. Without it those that the object itself selects."),
        Flag("labels", usage="The service's labels, key=value,key=value. Without it those of the object.", short="l"),
        Flag("target-port", usage="The container's port, a number or a name. Without it the same as --port."),
        Flag("external-ip", usage="Another address that the service answers on, if it is routed to a node."),
        Flag("name", usage="The service's name. Without it the object's."),
        Flag("session-affinity", usage="ClientIP sends a client to the same pod each time; None does not."),
        Flag(
            "cluster-ip", usage="The service's address; None for a service without one. Without it the server chooses."
        ),
        standard_flags.field_manager("kubectl-expose"),
        standard_flags.DRY_RUN,
        standard_flags.SAVE_CONFIG,
        *OVERRIDE_FLAGS,
        *standard_flags.filename_flags("with the objects to expose"),
        RECORD,
    ),
    description="""\
Put a service in front of a pod, or of the pods of a deployment, replica set, replication controller or other service.

The new service selects the pods that the object selects, and has its labels. A deployment or replica set that
selects by more than labels with values can't be exposed without --selector. Without --port all ports of the
containers are taken.""",
    examples="""\
# All ports of a deployment
kctl expose deployment/web

# Port 80 of the service leads to port 8080 of the pods
kctl expose deployment/web --port=80 --target-port=8080

# Reachable from outside of the cluster
kctl expose deployment/web --port=443 --type=LoadBalancer --name=web-public

# A pod, under another name
kctl expose pod/dns --port=53 --protocol=UDP --name=resolver

# No address of its own: its name leads to the pods themselves
kctl expose deployment/db --port=5432 --cluster-ip=None

# A manifest to start from
kctl expose deployment/web --port=80 --dry-run=client -o yaml""",
)
