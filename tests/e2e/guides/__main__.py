"""Make again what is made of docstrings and of real runs: `make guides`, or one of them with ARGS=references."""

import sys

from tests.e2e.guides import pictures, references

MAKERS = {"references": references.make, "pictures": pictures.make}

for name in sys.argv[1:] or MAKERS:
    MAKERS[name]()
