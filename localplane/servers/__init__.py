"""The three servers of a control plane, as kube-apiserver has them: aggregator, built-in kinds, custom resources.

`compose` puts them together. They never import one another.

Beside these:

    apiextensions/    the server of custom resources
    metrics/          the API group metrics.k8s.io
"""
