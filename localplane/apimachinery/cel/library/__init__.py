"""The functions of Kubernetes' expressions, one file per topic, as tuples of declarations.

`functions` puts them together; the compiler calls what they declare. Arguments were checked before a function is
called: by the type checker, or where types are dynamic by the dispatch. Nothing here does I/O.
"""
