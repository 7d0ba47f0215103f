"""Between the verbs of the API and storage: one path that serves every resource.

- `rest`         what a storage may be able to do, and the verbs that follow from it
- `strategy`     what makes one kind behave differently from another
- `conversion`   from and to the hub version, in which strategies and admission see objects
- `definition`   all that the verbs need to know of a resource
- `store`        the generic store; `create`, `update`, `delete`, `delete_collection` and `reads` are its verbs, and
                 `metadata`, `grace` and `collection_finalizers` the rules that several of them share
- `errors`       the only border from StorageError to APIError

The endpoints call it. It calls storage, and knows neither HTTP nor any kind's name.
"""
