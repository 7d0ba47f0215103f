"""From a command line to a running control plane on this machine, and what is known about those that run.

    flags, options     what may be said, and what it means          program    the installed `localplane`
    places, run_file   where a plane keeps what, and who runs it    processes  pids that are really ours
    starting           up: claim the name and run it                running    one plane, from open to closed
    detaching          leaving it in the background                 signals    how it is told to stop
    context            its entry in the user's kubeconfig           report, lines   what people read
    manifests/         -f: files -> objects -> applied, again when they change
    status, stopping, resetting, logs   what the companions of `up` ask and do; leftovers: of one that was killed

`kctl up` and its companions call it; a program that embeds the server (`localplane.library`) pays for none of it.
Only `running` and `starting` import the server, and only when they run: `kctl status` must not pay for it.
"""

from __future__ import annotations


def main() -> int:
    """What the installed `localplane` calls."""
    from .program import main as program

    return program()
