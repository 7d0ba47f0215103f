"""`kctl up -f`: manifests that a plane begins with.

- `reader`     files and directories -> objects, before anything is started, so that a typing error costs nothing
- `applier`    objects -> server-side apply, in an order that works
- `watcher`    the same again whenever the files change

`plane` calls it, with the plane's own client. Nothing is ever deleted because it is gone from a file.
"""
