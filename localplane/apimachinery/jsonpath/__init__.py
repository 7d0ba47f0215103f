"""Kubernetes' JSONPath: templates like `{range .items[*]}{.metadata.name}{"\\n"}{end}`.

`parse` makes a Template, `find` applies it to an object, `first` looks for one value only, and `text_of` prints what it
found. The columns of custom resources use it. Kubernetes: client-go/util/jsonpath.
"""

from .evaluation import JSONPathError, find, first, text_of
from .parser import JSONPathSyntaxError, Template, parse

__all__ = ["JSONPathError", "JSONPathSyntaxError", "Template", "find", "first", "parse", "text_of"]
