"""The options of requests: read from the query, and from the body where a delete has one, and validated in Kubernetes'
words.

- `parameters`      numbers and flags, as Go reads them
- `list_options`, `write_options`, `delete_options`   those of list and watch; of create, update and patch; of delete
"""
