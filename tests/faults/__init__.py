"""Proof that nothing acknowledged is ever lost: a history checker, and a harness that kills what it watches.

`checker` judges a `history` of operations and watch streams against the log that the store itself holds; `harness`
makes such histories under load while a `nemesis` kills the store, the process in front of it, or both.
`test_checker` shows that the judge can be trusted, `test_kills` and `test_cluster` put the storage before it, `plane` a
whole plane over HTTPS, and `python -m tests.faults` does so for longer. `proxy` is a link that can be tripped over.

The judge never asks the code under test what happened, and an outcome that nobody knows stays unknown until the
store's own log resolves it.
"""
