"""What a request costs over HTTPS, measured from outside: the server runs in a process of its own.

    python -m tests.bench.http [--quick] [--storage etcd|sqlite|memory] [--rounds N] [--json OUT]

- `__main__`    the program: starts a server, runs the scenarios against it and prints what came of them
- `plane`       the server that is measured, started by `serving`: one kind like a ConfigMap, declared as anybody would
- `connection` `watcher`    clients so lean that they don't get in the server's way
- `subjects`    the objects, and the requests for them, put together before the clock starts
- `load`        closed-loop workers: latencies, and what the server's process has cost meanwhile
- `reads` `writes` `watches` `starts`   the scenarios
- `kube`        what a kube-apiserver costs, to compare with; `sizes` says how much of everything is done

Processor time is what to look at: client and server share the machine with each other and with whatever else it does,
so throughput and latencies are only worth something beside others of the same run. Nothing here fails because it was
slow; it does when an answer is wrong.
"""
