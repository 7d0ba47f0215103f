"""The vocabulary of the Kubernetes API: pure, no I/O, imports nothing else of ours. Everybody may use it."""
