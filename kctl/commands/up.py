"""`kctl up`: start a control plane on this machine."""

from __future__ import annotations

from kctl.commands import new_app
from kctl.errors import KctlError
from localplane.cli.errors import CommandNotFound
from localplane.cli.flags import command
from localplane.cli.options import UpOptions
from localplane.cli.up import up

app = new_app()

TAKES_COMMAND = True
"""What stands behind `--` is handed over as it is."""

_HELP = """\
Start a local control plane: a Kubernetes API that every tool on this machine can use.

It runs in the foreground until Ctrl-C, or with --detach until `kctl down`. Its context, kctl-NAME, is added to your
kubeconfig and made the current one, as kind and minikube do; when it stops the context is removed. A plane that was
current before is current again then; another cluster is not, unless you say --switch-context=always: whatever still
runs would be in that cluster from one command to the next.

A name that is up already is an error, except with --detach: then there is nothing to do.

With a command behind `--` it is a plane for that command alone, on any free port, and no kubeconfig of yours is
touched: the command finds it by its KUBECONFIG. When the command ends the plane is thrown away, and the command's
exit code is ours; signals are passed on. If it fails, the plane's log is shown. The data is in memory unless --storage
says otherwise, and is kept only with --data-dir or --etcd-servers.

\b
Examples:
  # Start with what is on this machine: etcd if there is a fit one, else SQLite
  kctl up
  # In the background, for a script or a CI job
  kctl up -d && kubectl get namespaces
  # A plane for one command, thrown away with its exit code as ours: one line in CI
  kctl up -- pytest tests/
  # The same with definitions, objects and three nodes in it
  kctl up --ephemeral --crds crds/ -f manifests/ --nodes 3 -- go test ./...
  # A second one beside it, thrown away at the end, with objects in it
  kctl up --name test --ephemeral -f manifests/
  # Apply the manifests again whenever they are saved
  kctl up -f manifests/ --watch
  # Leave the current context as it is
  kctl up -d --switch-context=never && kubectl --context kctl-default get namespaces
  # Keep the data somewhere else
  kctl up --data-dir ./data
  # Use an etcd cluster that is already there
  kctl up --etcd-servers https://a:2379,https://b:2379 --etcd-cafile ca.crt
  # Let its etcd grow beyond the usual 8 GiB
  kctl up --etcd-quota-backend-bytes 16Gi
  # As bare as kube-apiserver alone
  kctl up --controllers none --disable-admission-plugins ServiceAccount
"""


def start(options: UpOptions) -> int:
    try:
        return up(options)
    except CommandNotFound as error:
        raise KctlError(str(error), exit_code=error.exit_code) from error


app.command("up", help=_HELP)(command(UpOptions, start, dashed="command"))
