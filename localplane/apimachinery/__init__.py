"""The vocabulary of the Kubernetes API: pure, imports nothing else of ours. Everybody may use it.

The only I/O is the reading of tables of types (`api_types`); meta/v1 is one of them, in `types`.
"""
