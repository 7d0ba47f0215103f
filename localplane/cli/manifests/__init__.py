"""`kctl up -f`: manifests that a plane begins with.

- `reader`     files and directories -> objects, before anything is started, so that a typing error costs nothing
- `applying`   objects -> server-side apply, in an order that works
- `following`  the same again whenever the files change

`running` calls it, with the plane's own client. Nothing is ever deleted because it is gone from a file.
"""
