"""Between the verbs of the API and storage: one path that serves every resource.

- `rest`         what a storage may be able to do, and the verbs that follow from it
- `strategy`     what makes one kind behave differently from another
- `conversion`   from and to the hub version, in which strategies and admission see objects
- `definition`   all that the verbs need to know of a resource; `selectable` are the fields it can be selected by
- `store`        the generic store; its verbs are `create`, `update`, `delete` and `reads`, which share `metadata` and
                 `deletion`
- `lookup`       other kinds' objects, for those who decide about one of their own
- `judge`        whether what somebody else has stored is an object of its kind
- `errors`       the only border from StorageError to APIError

The endpoints call it. It calls storage, and knows neither HTTP nor any kind's name.
"""
