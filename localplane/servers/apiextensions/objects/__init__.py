"""What a definition says of its objects, as the library's parts.

- `strategy`    the rules of one version: schema, expressions, scale
- `store`       where they are stored, also while their definition goes
- `scale`       the subresource, wherever the definition has the replicas
- `columns`     the table that kubectl prints
- `nested`      values at a path of an object that may have anything anywhere

`resources` puts them together.
"""
