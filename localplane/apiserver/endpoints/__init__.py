"""From an HTTP request to the registry and back.

- `filters/`      one file each: what every request passes before it is handled (`server/chain` has their order)
- `handlers/`     one file per verb
- `scope`         what a handler knows of the resource and version that was asked for
- `body`, `negotiation`, `respond`, `table`, `watching`, `patching` and the `*_options`   what handlers are made of
- `discovery/`, `openapi/`   what the server says about itself

The server calls it. It calls admission and the registry, and never storage.
"""
