"""From a result to the bytes of an answer. What can be sent as it is stored is.

- `negotiation`     which form the client wants: `Target`
- `response`        an answer with one object, a list or a Status
- `objects`         one object in the version that is served, as a dictionary and as JSON
- `table`           rows and columns, and metadata alone
- `messages`        protobuf
- `lists`           a list in slices; `list_forms` has its texts and `joined_items` its finished pieces
- `watch_events`    a watch as a stream

The handlers call it. It reads what storage returns, and asks it for nothing.
"""
