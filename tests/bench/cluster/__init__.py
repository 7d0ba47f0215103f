"""What a write costs on a whole cluster, and what of it goes into knowing who owns which field.

    python -m tests.bench.cluster [--quick] [--storage etcd|sqlite|memory] [--rounds N] [--json OUT]

- `__main__`    the program: starts two servers, runs every scenario against them and prints what came of it
- `plane`       a server that is measured, in a process of its own: all built-in kinds, no controllers
- `meter`       how much of its processor time the server spent on managedFields, told through a file
- `subjects`    a ConfigMap of 1 KB and a Deployment of 4 KB, and the requests for them
- `writes`      the scenarios: create, PUT, merge patch, strategic merge patch, and apply, with a change and without
- `report`      their figures; `sizes` says how much of everything is done

Connections, workers and figures are those of `tests.bench.http`. The second server keeps no managedFields: what it
needs less is all that they cost, the bytes that are longer for them included. Applying can't do without them, so there
it is only the meter that tells.
"""
