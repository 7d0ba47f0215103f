"""Field management: who owns which field of an object, and server-side apply, which builds on it.

    FieldManager.update     after a create, an update or a patch: the managedFields of the new object
    FieldManager.apply      an applied configuration, merged into the live object
    Fields                  a set of fields, in the form of FieldsV1
    VersionConverter        what a kind with several versions must bring
    ScaleManagers           managers of the scale subresource and of its parent

Read `fieldset` for what a set of fields is, and `typed` for what schemas say of it. Then, over a type and `values`:
`comparison`, `validation`, `merge` and `removal` do one thing each. From them `updates` makes the two operations on
objects and their `managers`; `fieldmanager` is the way through it all, with what `last_applied`, `struct_form`,
`versions` and `settled` know. `scale` is about the scale subresource, `errors` says what goes wrong.

The handlers of the server call it before admission, and inside the loop that retries a write. Nothing here does I/O or
knows of HTTP, and no object that is given is ever changed.
"""

from .errors import ApplyConflict, InvalidApply, InvalidManagedFields, MissingVersion, Unmanageable
from .fieldmanager import Applied, FieldManager, keep_times_of_unchanged
from .fieldset import Fields, InvalidElement, of_paths
from .managers import validate
from .scale import ScaleManagers
from .versions import VersionConverter

__all__ = [
    "Applied",
    "ApplyConflict",
    "FieldManager",
    "Fields",
    "InvalidApply",
    "InvalidElement",
    "InvalidManagedFields",
    "MissingVersion",
    "ScaleManagers",
    "Unmanageable",
    "VersionConverter",
    "keep_times_of_unchanged",
    "of_paths",
    "validate",
]
