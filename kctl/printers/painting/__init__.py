"""Colour for terminals: what stands out, and what steps back.

    themes      which colour means what, on a dark or a light background
    tables      cells by the column they stand in: states, readiness, restarts, young ages
    documents   YAML and JSON, line by line
    pages       descriptions, explanations and differences
    choice      which of them a command's output gets

Session asks for a painter when its output is coloured, and nobody else does: without colour nothing here is loaded. A
painter only puts colours around what is there. It never sees what could drive a terminal (`terminal.harmless` comes
first), and without its colours a text is what it was, to the letter.
"""
