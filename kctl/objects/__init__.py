"""From what was typed to objects on a server: `po`, `deploy.apps/web`, `cm,secret -l a=b`, `-f dir/ -R`, `all`.

    query = Query(arguments=flags.arguments, label_selector=flags.text("selector"), ...)
    result = await resolve(session, query)
    async for info in result.visit(): ...

`arguments` reads the words, `files` and `manifests` what is in files, `lookup` brings the objects, each as an `Info`.
Verbs call `resolve`; nothing here prints or changes anything.
Kubernetes: cli-runtime/pkg/resource (Builder, Visitor, Info).
"""

from kctl.objects.arguments import Query
from kctl.objects.info import Info
from kctl.objects.lookup import Result, resolve

__all__ = ["Info", "Query", "Result", "resolve"]
