"""What a running server tells of itself, and how it notices that it is late.

- `health`, `health_socket`    named checks behind /livez, /readyz and /healthz; the same on a socket of its owner's
- `metrics`, `exposition`    what /metrics tells, and Prometheus' text format
- `loop_watch`, `garbage`      who holds the event loop, and a collector of garbage that does not

`lifecycle` and the composition root call it. Nothing here decides what a request is answered with.
"""
