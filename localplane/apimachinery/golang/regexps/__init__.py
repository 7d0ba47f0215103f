"""Regular expressions as Go has them: what they mean, what is wrong with them, and that they take linear time.

`parser` reads an expression by Go's rules and says in Go's words why it is none. What runs it is RE2 itself
(`engines`), or where RE2 is not installed or an expression too large for it, the `automaton`. Neither goes back in a
text: whatever the expression, twice the text takes twice the time.

For every expression or text that comes from outside: patterns of definitions, CEL's matches and find, kustomize's
selectors, what kctl proxy lets through. Python's re never meets such a pair. Nobody asks here what a group matched.

Beside these:

    classes    sets of characters: ranges, and the classes that Go has names for
    syntax     what an expression consists of, once it is read: a tree, each of whose nodes knows how large it is
"""

from __future__ import annotations

from .automaton import TooCostly
from .engines import Regexp, compiled
from .parser import InvalidRegexp

__all__ = ["InvalidRegexp", "Regexp", "TooCostly", "compiled"]
