"""Watching one object until something is true of it: `kctl wait` and `kctl rollout status`.

`following` brings an object and what becomes of it, whatever the network does; `conditions` are what can be waited for.
Verbs call both; they run in an event loop, because they give up after a while. Nothing here changes anything.
Kubernetes: kubectl/pkg/cmd/wait, client-go/tools/watch, UntilWithSync.
"""
