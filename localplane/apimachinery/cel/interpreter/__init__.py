"""From a checked tree to something that runs. Kubernetes: cel-go/interpreter and common/types.

    program          the tree as nested functions
    calls            calls of functions
    operators        `+`, `==`, `in` and the like
    comprehensions   what macros have become: loops
    access           fields, keys and indexes
    arithmetic       numbers that overflow
    equality         which values are equal
    times            timestamps and durations

Expressions call it. What a program does counts against a budget; nothing here does I/O.
"""
