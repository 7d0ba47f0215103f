"""From the text of an expression to its tree. Kubernetes: cel-go/parser.

    source          a text, its lines, and what is said when it can't be compiled
    tokens          its words
    parser          the grammar
    literals        what a number or a string in quotes means
    macros          `has`, `all`, `map` and the like, written out
    tree            what comes out
    field_names     names that are no identifiers
    syntax_errors   the words for what is refused; recovery goes on behind it, to find the next fault
    recovery        how ANTLR would go on

The checker and who compiles call it. It knows no types and evaluates nothing.
"""
