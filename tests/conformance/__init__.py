"""Answers that were recorded from a real cluster, asked of ours again: `python -m tests.conformance --help`.

    recordings   where they are, and which of them; they are no part of this project and may be absent
    replays      each collection has a program of its own that replays it against a server; this runs them
    scores       what came of it, by area, and which areas must be whole
    __main__     the planes that are asked, and what is printed

`make conformance` and CI run it. Where the recordings are not, it says so and succeeds.
"""
