"""The generic API server library. It contains no built-in kind's name."""
