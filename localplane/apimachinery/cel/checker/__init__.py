"""Types of an expression, before it runs. Kubernetes: cel-go/checker.

    checker          the type of every node, and which overload a call means
    unification      whether two types can be one
    literal_checks   literals that would fail whenever they are evaluated

Who compiles calls it. Nothing here evaluates anything.
"""
