"""Pods, and the pod spec that every workload carries in its template.

`defaults`, `disabled_fields`, `validation` and `warnings` are about the spec alone: they take a pod's or a template's
parts as dictionaries, and workloads call them too. The rest is the kind itself. Nothing here schedules or runs a pod.

Beside these:

    columns          a pod's row in a table
    conditions       a pod's conditions, found and set
    qos              the quality of service that a pod's requests and limits amount to
    resource         Pods as they are served
    semantics        when two parts of a spec mean the same: amounts are equal however they are written
    status           how a pod's status is written, and what it is asked: containers, addresses, claims, restarts
    strategy         how a pod is written
    subresources/    what stands below a pod's path beside its status
    updates          what may change in a pod once it is there
"""
