"""`kctl doctor`: stored objects that nobody can use, and how to be rid of them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

from kctl.commands import new_app
from kctl.errors import KctlError, UsageError
from localplane.cli.doctor import DoctorOptions, Examination, Removal, examine_running, examine_stopped
from localplane.cli.flags import command
from localplane.cli.run_file import running

app = new_app()

_HELP = """\
List what is stored in a control plane and can't be used: bytes that are no JSON, a version that nobody serves, a text
where a list belongs, a required field that is missing.

A plane goes on with everything else, so this can be done while it is up; it works as well on the data of one that is
down, and on an etcd cluster. Nothing is removed unless you say so, and only what is listed can be.

Exits with 1 if something is left.

\b
Examples:
  # What is wrong with the default plane?
  kctl doctor
  # Remove one of the objects that were listed
  kctl doctor --delete /registry/configmaps/default/broken
  # Remove all that can't be read; what only lacks a field stays
  kctl doctor --name test --delete-unreadable
  # Look into an etcd cluster
  kctl doctor --etcd-servers https://a:2379 --etcd-cafile ca.crt
"""


def doctor(options: DoctorOptions) -> int:
    if options.output not in {"", "json"}:
        raise KctlError("--output must be 'json'")
    removal = Removal(options.delete, all_unreadable=options.delete_unreadable)
    record = None if options.storage.etcd_servers else running(options.name)
    if record is not None:
        if options.data_dir is not None:
            raise UsageError(f"--data-dir is for a plane that is down, and {options.name} is up")
        return _show(examine_running(record, removal), options.output)
    storage = replace(options.storage, data_dir=options.data_dir.absolute() if options.data_dir else None)
    return _show(examine_stopped(options.name, storage, removal), options.output)


def _show(examination: Examination, output: str) -> int:
    left, removed = examination.left, examination.removed
    if output:
        document = {"badObjects": [each.as_json() for each in left], "removed": removed}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    else:
        for key in removed:
            sys.stdout.write(f"{key} is removed\n")
        for each in left:
            sys.stdout.write(f"{each.key}: {'incomplete' if each.shown else 'unreadable'}: {each.problem}\n")
        if left:
            sys.stderr.write("Remove one with --delete KEY, or all unreadable ones with --delete-unreadable.\n")
        elif not removed:
            sys.stdout.write("Everything that is stored can be used.\n")
    return 1 if left else 0


app.command("doctor", help=_HELP)(command(DoctorOptions, doctor))
