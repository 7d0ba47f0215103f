"""Strategic merge patch: a merge patch that knows, from the schema, which lists merge and by which key.

    merge            a patch into a document
    misfit           why a merged document does not fit its kind, in the words of Kubernetes' converter
    two_way_patch    the patch that leads from one document to another
    three_way_patch  what somebody applied, applies now, and what is there: the patch in between

A patch may hold directives: `$patch` (replace, delete), `$retainKeys`, `$setElementOrder/x` and
`$deleteFromPrimitiveList/x`. Read `directives` for what they are called, `lookup` for what a schema says of a field,
`maps` for the way through a document, `lists` and `list_order` for what becomes of lists. `diff`, `three_way` and
`conflicts` make patches; `openapi` reads what a server publishes, for clients that have no other schema.

Unlike their neighbours these change what they are given: a document and its patch are both used up by a merge, and
`Mode.COMBINE` merges a patch into a patch. What makes patches leaves its documents alone, but the patch may share
parts of them. Nothing here does I/O or knows HTTP.
Kubernetes: apimachinery/pkg/util/strategicpatch.

Beside these:

    items        the items of lists: what type they have, and what tells one from another
    list_diff    what has become of a list that merges
"""

from .diff import two_way_patch
from .maps import Mode, merge
from .misfits import misfit
from .three_way import Conflicting, three_way_patch

__all__ = ["Conflicting", "Mode", "merge", "misfit", "three_way_patch", "two_way_patch"]
