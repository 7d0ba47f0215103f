"""Make again what is made of real runs and of docstrings: `make guides`."""

from tests.e2e.guides import pictures, references

references.make()
pictures.make()
