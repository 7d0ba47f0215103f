"""What a plane has that a cluster has not: instruments for those who test against it, on paths of their own.

`table` serves whatever is mounted in it below /localplane/v1/. They are for people on the same machine, and for those
only whom the authorizer lets; a server's index does not tell of them. `requests` are who asked what lately,
`permissions` what somebody needs for it, and `snapshots` all that is stored.

Beside these:

    clock      /localplane/v1/clock: what time it is, and letting time pass
    faults     /localplane/v1/faults: the rules by which things go wrong on purpose
    history    /localplane/v1/history: what happened, and what there was
    parameters what the parameters of an instrument say
"""
