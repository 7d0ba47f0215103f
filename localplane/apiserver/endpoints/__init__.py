"""From an HTTP request to the registry and back.

- `filters/`         one file each: what every request passes before it is handled (`server/chain` has their order)
- `request_info`     what a method and a path mean
- `installer`        from declared groups to what is served, and from a request to its handler
- `served`           what a handler knows of the resource and version that was asked for
- `handlers/`        one file per verb
- `options/`         what a query says
- `writes/`          what a body says, and what becomes of it before it is stored
- `representation/`  from a result to the bytes of an answer
- `description`      what is served, for those who speak of it: `discovery/` and `openapi/`
- `enablement`       what of it others see

The server calls it. It calls admission and the registry, and storage only through them.
"""
