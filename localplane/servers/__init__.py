"""The three servers of a control plane, as kube-apiserver has them: aggregator, built-in kinds, custom resources.

`compose` puts them together. They never import one another.
"""
