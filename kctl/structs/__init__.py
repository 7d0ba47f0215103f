"""Kubernetes' Go structs, for verbs that kubectl does with typed objects: their fields in order, and how they merge.

    encoded(obj)          as Go would write what it has read: fields in order, empty ones left out, others filled in
    patch_node(obj)       how its lists merge, for strategic patches that are made or applied here

`fields.json` is a table of facts about the API: a type's fields in the order of its struct. After a name, `*` is a
pointer, `!` a field that is written even when it is empty and `?` one that is null then; after `:` comes its type
(s text, b, i, d, p a number or text, q a quantity, x anything, or a struct's name; `[]` a list of, `{}` a map of),
after `@` the key by which a list merges; `~` is retainKeys. Printers and verbs call this; it knows no server. A
kind that is not in the table stays as it is.
"""

from kctl.structs.encoding import encoded, encoded_struct
from kctl.structs.merging import patch_node, struct_node

__all__ = ["encoded", "encoded_struct", "patch_node", "struct_node"]
