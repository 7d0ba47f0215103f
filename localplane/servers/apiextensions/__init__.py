"""The server of custom resources: a stored CustomResourceDefinition is served at once, as a resource of the library.

- `kind`           the definitions themselves: their defaults, strategies and printing; `store` is where they are stored
- `validation/`    what is wrong with a definition, its schemas included; `schemas` walks these, `internal` shows them,
                   and `rules` compiles their expressions
- `names`, `acceptance`, `status`, `finalizer`   what becomes of a definition after it was written; `name_claims` is for
                   several servers on one store
- `custom_resources`   which definitions are served now, and the loop that follows them
- `resources`      from a definition to what the library serves; `objects/` are the parts of that
- `conversion/`    objects of one version in another, by a webhook

`compose` puts it behind the built-in kinds. It imports neither of the other servers, and names no custom kind.
Kubernetes: apiextensions-apiserver.
"""
