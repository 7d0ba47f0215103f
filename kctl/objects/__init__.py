"""From what was typed to objects on a server: `po`, `deploy.apps/web`, `cm,secret -l a=b`, `-f dir/ -R`, `all`.

    query = Query(arguments=flags.arguments, label_selector=flags.text("selector"), ...)
    result = await resolve(session, query)
    async for info in result.visit(): ...

    arguments    the words, and all that a Query may say      lookup       brings the objects
    files        what is in files                             manifests    objects out of them
    decoding     a document, before its kind is known         client_validation   what --validate looks at
    info         one object, and where it is                  value_from   what a variable's valueFrom leads to

Verbs call `resolve`; nothing here prints or changes anything. Kubernetes: cli-runtime/pkg/resource (Builder, Visitor,
Info).
"""

from kctl.objects.arguments import Query
from kctl.objects.info import Info
from kctl.objects.lookup import Result, resolve

__all__ = ["Info", "Query", "Result", "resolve"]
