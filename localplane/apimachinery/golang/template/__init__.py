"""Go's text/template, for -o go-template: pipelines, variables, range, if, with, define, and kubectl's own functions.
Others bring functions of their own.

    template = parse("{{range .items}}{{.metadata.name}}\\n{{end}}", name="output")
    text = execute(template, obj, missing_is_error=False)

Whatever the template says, it reads the object and writes text; there is nothing else it could reach.

Beside these:

    lexer    a template's text in tokens
    nodes    what a template consists of
"""

from .execution import TemplateError, execute
from .functions import FUNCTIONS, FunctionError, Functions
from .parser import Template, TemplateSyntaxError, parse
from .values import decoded

__all__ = [
    "FUNCTIONS",
    "FunctionError",
    "Functions",
    "Template",
    "TemplateError",
    "TemplateSyntaxError",
    "decoded",
    "execute",
    "parse",
]
