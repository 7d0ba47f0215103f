"""Strategic merge patch: a merge patch that knows, from the schema, which lists merge and by which key.

    merge      a patch into a document
    misfit     why a merged document does not fit its kind, in the words of Kubernetes' converter

A patch may hold directives: `$patch` (replace, delete), `$retainKeys`, `$setElementOrder/x` and
`$deleteFromPrimitiveList/x`. Read `directives` for what they are called, `lookup` for what a schema says of a field,
`maps` for the way through a document, `lists` and `ordering` for what becomes of lists.

Unlike their neighbours these change what they are given: a document and its patch are both used up by a merge. What
makes patches (from two or three documents) will live beside it; `Mode.COMBINE` is there for that, and merges a patch
into a patch. Nothing here does I/O or knows HTTP.
Kubernetes: apimachinery/pkg/util/strategicpatch.
"""

from .fitting import misfit
from .maps import Mode, merge

__all__ = ["Mode", "merge", "misfit"]
