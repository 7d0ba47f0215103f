"""What comes in with a write, on its way to the registry.

- `body`              an object is read, checked, pruned and defaulted
- `patches`           JSON patch, merge patch and strategic merge patch, ready to be applied to any object
- `apply`             server-side apply
- `fitting`           integers of what is applied or strategically merged
- `field_managers`    who owns which field
- `owner_references`  owners that are named twice
- `admission`         the questions to admission, and the one that the registry asks in the middle of its work

The handlers of create, update, patch, delete and connect call it.
"""
