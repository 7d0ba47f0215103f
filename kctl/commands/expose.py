"""`kctl expose`: a service for what is there. Kubernetes: kubectl/pkg/cmd/expose/expose.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.flags import Flag
from kctl.launching.overriding import OVERRIDE_FLAGS, overridden
from kctl.launching.sending import save_configuration, send
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Info
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.launching.exposing import Exposing
    from kctl.printers.typed import printer_for
    from kctl.resolve import Query, resolve

    mode = dry_run(session)
    printer = printer_for(given, "exposed", dry_run=mode)
    query = Query.of(given)._replace(label_selector="", keep_going=True, flatten=True)
    found = await resolve(session, query)
    exposing = Exposing(given)

    async def expose(info: Info) -> None:
        kind = info.rest_mapping.kind
        service = exposing.service(kind.group, kind.kind, info.object or {})
        service = await overridden(session, given, service)
        if mode == "client":
            if session.namespace_is_explicit:
                service["metadata"]["namespace"] = session.namespace
        else:
            if given.is_on("save-config"):
                save_configuration(service)
            service = await send(session, given, service, "services", dry_run=mode == "server")
        printer.print(service, session.write)

    await found.each(expose)


COMMAND = Command(
    "expose",
    "expose (-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] "
    "[--name=name] [--external-ip=external-ip-of-service] [--type=type]",
    "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
    run=run,
    flags=(
        *output_flags(),
        Flag("protocol", usage="The network protocol for the service to be created. Default is 'TCP'."),
        Flag(
            "port",
            usage="The port that the service should serve on. Copied from the resource being exposed, if unspecified",
        ),
        Flag(
            "type",
            usage="Type for this service: ClusterIP, NodePort, LoadBalancer, or ExternalName. Default is 'ClusterIP'.",
        ),
        Flag(
            "load-balancer-ip",
            usage="IP to assign to the LoadBalancer. If empty, an ephemeral IP will be created and used "
            "(cloud-provider specific).",
        ),
        Flag(
            "selector",
            usage="A label selector to use for this service. Only equality-based selector requirements are supported. "
            "If empty (the default) infer the selector from the resource being exposed.",
        ),
        Flag("labels", usage="Labels to apply to the service created by this call.", short="l"),
        Flag(
            "target-port",
            usage="Name or number for the port on the container that the service should direct traffic to. Optional.",
        ),
        Flag(
            "external-ip",
            usage="Additional external IP address (not managed by Kubernetes) to accept for the service. If this IP is "
            "routed to a node, the service can be accessed by this IP in addition to its generated service IP.",
        ),
        Flag("name", usage="The name for the newly created object."),
        Flag(
            "session-affinity",
            usage="If non-empty, set the session affinity for the service to this; legal values: 'None', 'ClientIP'",
        ),
        Flag(
            "cluster-ip",
            usage="ClusterIP to be assigned to the service. Leave empty to auto-allocate, or set to 'None' to create a "
            "headless service.",
        ),
        standard_flags.field_manager("kctl-expose"),
        standard_flags.DRY_RUN,
        standard_flags.SAVE_CONFIG,
        *OVERRIDE_FLAGS,
        *standard_flags.filename_flags("identifying the resource to expose a service"),
    ),
    description="""\
Expose a resource as a new Kubernetes service.

Looks up a deployment, service, replica set, replication controller or pod by name and uses the selector for that
resource as the selector for a new service on the specified port. A deployment or replica set will be exposed as a
service only if its selector is convertible to a selector that service supports, i.e. when the selector contains only
the matchLabels component. If no port is given and the exposed resource has several, all of them are reused.""",
    examples="""\
# Create a service for a replicated nginx, which serves on port 80 and connects to the containers on port 8000
kctl expose rc nginx --port=80 --target-port=8000

# Create a service for a pod valid-pod, which serves on port 444 with the name "frontend"
kctl expose pod valid-pod --port=444 --name=frontend

# Create a second service based on the above service, exposing the container port 8443 as port 443
kctl expose service nginx --port=443 --target-port=8443 --name=nginx-https

# Create a service for an nginx deployment, which serves on port 80 and connects to the containers on port 8000
kctl expose deployment nginx --port=80 --target-port=8000""",
)
