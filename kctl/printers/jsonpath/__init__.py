"""kubectl's JSONPath: templates like `{range .items[*]}{.metadata.name}{"\\n"}{end}`.

`parse` makes a Template; `find` and `execute` apply it to an object. Printers, --sort-by and `wait` use it.
Kubernetes: client-go/util/jsonpath.
"""

from .evaluating import JSONPathError, execute, find
from .parsing import JSONPathSyntaxError, Template, parse
from .relaxed import relaxed

__all__ = ["JSONPathError", "JSONPathSyntaxError", "Template", "execute", "find", "parse", "relaxed"]
