"""`kctl up`: start a control plane on this machine."""

from __future__ import annotations

from kctl.commands import new_app
from localplane.cli.flags import command
from localplane.cli.options import UpOptions
from localplane.cli.up import up

app = new_app()

_HELP = """\
Start a local control plane: a Kubernetes API that every tool on this machine can use.

It runs in the foreground until Ctrl-C, or with --detach until `kctl down`. Its context, kctl-NAME, is added to your
kubeconfig and made the current one; when it stops the context is removed and the one before is current again.

A name that is up already is an error, except with --detach: then there is nothing to do.

\b
Examples:
  # Start with what is on this machine: etcd if there is a fit one, else SQLite
  kctl up
  # In the background, for a script or a CI job
  kctl up -d && kubectl get namespaces
  # A second one beside it, thrown away at the end, with objects in it
  kctl up --name test --ephemeral -f manifests/
  # Apply the manifests again whenever they are saved
  kctl up -f manifests/ --watch
  # Keep the data somewhere else
  kctl up --data-dir ./data
  # Use an etcd cluster that is already there
  kctl up --etcd-servers https://a:2379,https://b:2379 --etcd-cafile ca.crt
  # Let its etcd grow beyond the usual 8 GiB
  kctl up --etcd-quota-backend-bytes 16Gi
  # As bare as kube-apiserver alone
  kctl up --controllers none --disable-admission-plugins ServiceAccount
"""

app.command("up", help=_HELP)(command(UpOptions, up))
