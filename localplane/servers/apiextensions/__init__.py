"""The server of custom resources: a stored CustomResourceDefinition is served at once, as a resource of the library.

- `kind`           the definitions themselves: their defaults, strategies, storage and printing
- `validation/`    what is wrong with a definition, its schemas included
- `naming`, `conditions`, `finalizing`   what becomes of a definition after it was written
- `serving`        which definitions are served now, and the loop that follows them
- `resources`      from a definition to what the library serves: strategies, columns, scale, selectable fields
- `conversion/`    objects of one version in another, by a webhook

`compose` puts it behind the built-in kinds. It imports neither of the other servers, and names no custom kind.
Kubernetes: apiextensions-apiserver.
"""
