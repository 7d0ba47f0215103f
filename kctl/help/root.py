"""`kctl --help`: all verbs, by what they are for."""

from __future__ import annotations

from kctl.verbs import GROUPS

from .layout import Page, Section, render

_EXAMPLES = """\
# Start a control plane in the background, use it, stop it
kctl up -d
kctl create deployment web --image=nginx
kctl get everything
kctl down

# What is in a cluster, and what is it made of?
kctl get pods --all-namespaces
kctl explain pod.spec.containers

# Apply a directory of manifests, having seen what would change
kctl diff -f manifests/
kctl apply -f manifests/"""

_COLUMN = max(len(verb.name) for group in GROUPS for verb in group.verbs)


def root_help() -> str:
    sections = [Section("Usage", lines="kctl COMMAND [flags]"), Section("Examples", lines=_EXAMPLES)]
    sections += [
        Section(group.title, [(verb.name, verb.summary) for verb in group.verbs if not verb.hidden], column=_COLUMN)
        for group in GROUPS
        if group.verbs
    ]
    if plugins := _plugins():
        sections.append(Section("Plugins", sorted(plugins.items()), column=_COLUMN))
    return render(
        Page(
            "kctl controls a Kubernetes API, and starts one on this machine.",
            sections,
            "'kctl COMMAND --help' tells more about a command. 'kctl options' lists the flags that every command has.",
        )
    )


def _plugins() -> dict[str, str]:
    """Verb and program; the first on the PATH counts."""
    from kctl.plugins import on_path

    found: dict[str, str] = {}
    own = {verb.name for group in GROUPS for verb in group.verbs}
    for path in on_path()[0]:
        words = path.rpartition("/")[2].split("-")[1:]
        if words[0] not in own:
            found.setdefault(" ".join(words).replace("_", "-"), path)
    return found
