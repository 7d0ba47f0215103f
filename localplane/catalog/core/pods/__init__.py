"""Pods, and the pod spec that every workload carries in its template.

`defaults`, `disabled_fields`, `validation` and `warnings` are about the spec alone: they take a pod's or a template's
parts as dictionaries, and workloads call them too. The rest is the kind itself. Nothing here schedules or runs a pod.
"""
