"""What `kctl run`, `expose`, `autoscale`, `debug` and their neighbours make up and send, and how they stay with it.

    sending      flags that have to be there, the request, the annotation for a later apply
    single_pod   the pod that `run` makes               images       what an image may be called
    exposing     the service for what is there          overriding   --overrides
    selectors    label selectors, from what was typed   names        what variables may be called, numbers or names
    attending    waiting for a pod and joining it       foreground   `run --attach`: to the exit code of its process

Objects are built in any order: `kctl.structs` knows the one in which they are shown.
"""
