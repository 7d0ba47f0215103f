"""From a command line to a running control plane on this machine, and what is known about those that run.

    up, down, reset, status, doctor, etcd_repair   what the verbs of these names do
    options, repair_options   what may be said, with its flags      flags      commands made of options
    plane              one plane, from open to closed               ports      which port it gets
    daemon             leaving it in the background                 signals    how it is told to stop
    places, run_file   where a plane keeps what, and who runs it    processes  pids that are really ours
    context            its entry in the user's kubeconfig           leftovers  of a plane that was killed
    report, lines, logs   what people read                          socket_client   asking a plane how it does
    command            what a plane is started for, if for one command: kctl up -- CMD
    validation/        would a server take these files? what `kctl validate` does, without a plane
    kube_apiserver/    the same server with kube-apiserver's flags   envtest   the folder for suites that start one
    manifests/         -f: files -> objects -> applied, again when they change
    program            the installed `localplane`                   errors     what all of them say no with

`kctl up` and its companions call it; a program that embeds the server (`localplane.library`) pays for none of it.
Only `plane` and `doctor` import the server, and only when they run: `kctl status` must not pay for it.

Beside these:

    certs        what a plane is known by, until when, and its renewal
    join         what another machine needs to run a server of the same cluster
    snapshots    the files of snapshots, and snapshots of planes that are down
"""

from __future__ import annotations

import sys


def main() -> int:
    """What the installed `localplane` calls."""
    if sys.argv[1:2] == ["kube-apiserver"]:
        from .kube_apiserver.program import main as kube_apiserver

        return kube_apiserver(sys.argv[2:])
    from .program import main as program

    return program()
