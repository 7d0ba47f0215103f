"""What `kctl run`, `expose`, `autoscale` and their neighbours make up and send.

    sending      flags that have to be there, the request, the annotation for a later apply
    exposing     the service for what is there          overriding   --overrides
    selectors    label selectors, from what was typed   names        what variables may be called, numbers or names

Objects are built in the order in which Kubernetes' Go structs have their fields, because `-o json` shows it.
"""
