"""What expressions cost: estimated before they are accepted (`estimating`), counted while they run (`counting`).

Both follow cel-go's tables and Kubernetes' additions to them, so that the same rules are refused, with the same words.
Sizes and costs are uint64s that stay at their maximum instead of overflowing: see `numbers`.
"""
