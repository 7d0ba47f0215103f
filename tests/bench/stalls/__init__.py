"""How long one request keeps all others waiting: `python -m tests.bench.stalls --help`.

A whole cluster with many objects is asked, one after the other, for everything that is long, while another process asks
for something short over and over. Both are told for each row: the longest that the short one had to wait, and the
longest that the server's event loop was held, in CPU time, which does not depend on what else runs on the machine, with
the longest walk of Python's garbage collector, which may be a part of it.

- `plane`   the server, in a process of its own, with a meter on its loop
- `probe`   the short requests, in a process of their own
- `rows`    the long ones
"""
