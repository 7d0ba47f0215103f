"""From what was typed to objects on a server: `po`, `deploy.apps/web`, `cm,secret -l a=b`, `-f dir/ -R`, `all`.

    query = Query(arguments=flags.arguments, label_selector=flags.text("selector"), ...)
    found = resolve(session, query)
    async for info in found.visit(): ...

`arguments` reads the words, `files` the manifests, `discovery` knows which types there are (and keeps it on disk),
`visiting` brings the objects. Verbs call `resolve`; nothing here prints or changes anything.
Kubernetes: cli-runtime/pkg/resource (Builder, Visitor, Info).
"""

from kctl.objects.arguments import Query
from kctl.objects.info import Info
from kctl.objects.lookup import Found, resolve

__all__ = ["Found", "Info", "Query", "resolve"]
