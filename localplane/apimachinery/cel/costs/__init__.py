"""What expressions cost: estimated before they are accepted (`estimating`), counted while they run (`counting`).

Both follow cel-go's tables and Kubernetes' additions to them, so that the same rules are refused, with the same words.
Sizes and costs are uint64s that stay at their maximum instead of overflowing: see `numbers`.

Beside these:

    actual            what a call costs when it is evaluated
    call_estimates    the most that a call may cost
    estimates         the most that an expression may cost, from its types and the limits of the schema
    operands          what an estimate knows of an argument, and what it says of a call
"""
