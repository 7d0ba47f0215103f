"""An API server of its own behind a cluster's: clients see one API. `--help` tells its flags.

With a cluster of `kctl up`, whose files lie in STATE (`$XDG_STATE_HOME/kctl/default`, by default below ~/.local/state):

    python examples/aggregated/tickets.py --port 8443 \\
        --requestheader-client-ca-file STATE/pki/front-proxy-ca.crt --authorization-kubeconfig STATE/kubeconfig
    kubectl apply -f examples/aggregated/apiservice.yaml
    kubectl get tickets --watch

The cluster passes requests for tickets.example.com on to it and says who asks; the server believes that because of the
cluster's certificate, and asks the cluster back who may do what.
"""

from __future__ import annotations

from localplane import library as api


class TicketSpec:
    title: str
    priority: int = 3


class Ticket:
    """Something to be done."""

    spec: TicketSpec


COLUMNS = [
    api.Column("Name", lambda ticket: ticket["metadata"]["name"]),
    api.Column("Title", lambda ticket: ticket["spec"]["title"]),
    api.Column("Priority", lambda ticket: ticket["spec"]["priority"], type="integer"),
]
TICKETS = api.Resource("tickets", "Ticket", [api.Version("v1", Ticket, columns=COLUMNS)], short_names=["tk"])
GROUP = api.APIGroup("tickets.example.com", [TICKETS])

SERVED_AS = ("tickets.default.svc",)  # the name that the cluster asks for, so that it can verify us: see caBundle
OPTIONS = api.PlaneOptions(server=api.ServerOptions(tls=api.TLSOptions(names=SERVED_AS)))

if __name__ == "__main__":
    raise SystemExit(api.run([GROUP], OPTIONS))
