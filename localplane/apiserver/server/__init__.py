"""What listens: from sockets to the one handler of all requests, and the life of the process around it.

- `options`, `config`      what a user may set, and what a server is made of once that has been read
- `lifecycle`              GenericServer: start, hooks, readiness, and the graceful stop
- `listener`, `tls`, `certificates/`    sockets and who is at the other end
- `http/`                  HTTP in, Request; Response, HTTP out. Only this knows aiohttp
- `chain`, `dispatch`      the filters in request order, then whose path it is
- `paths`, `version`, `monitoring/`    what the server says about itself: health, metrics, how late it is

The composition root builds it; a library user starts with `lifecycle.GenericServer`. It knows no resource: routers
bring them. Nothing below imports it.

Beside these:

    flags            options whose fields carry their flags
    interruptions    faults that strike watches which are open already
    signals          SIGTERM and SIGINT: the first asks politely, the second does not
"""
