"""Figures of one run on one machine: each is a ratio against the bare store, asked by the same client in the same run.

    python -m tests.bench.storage [--rounds N] [--quick] [--json OUT]

- `storage`    the program: runs the scenarios in turn and prints what came of them
- `sizes`      how much of everything: the full run, the quick one, the one that only proves that all this works
- `load`       operations at some concurrency, with their latencies and what they cost in processor time
- `subjects`   the objects, and the two ways to the store that are compared
- `writes` `reads` `watches` `stores` `starts`   the scenarios
- `figures` `report` `machine` `processes` `options`    what a figure is, how it is shown, where it was taken
- `http`       another program: the same questions asked over HTTPS, beside what a kube-apiserver needs for them
- `cluster`    writes to a whole cluster over HTTPS, and what of them managedFields cost
- `up`         another: how soon `kctl up` is ready, and what it costs while nobody asks; `running_plane` starts it
- `cli`        a fourth: what a command costs from its start to its end, beside kubectl

Absolute numbers depend on the disk (data lies under TMPDIR) and on what else the machine does; the two sides of a
ratio take turns, round by round, so that both meet the same of it. Nothing here fails because it was slow.
"""
