"""The aggregator: which server answers for which version of a group, as APIServices say.

`api_services` is the kind, `registration` writes down what this process serves itself. `compose` puts it in front of
the built-in kinds. Kubernetes: kube-aggregator.
"""
