"""The HTTP edge: from a client's bytes to a Request, and from a Response to bytes. Only this knows aiohttp.

- `connection`, `limits`    one client's connection, and how long and how much it may keep us busy
- `http_server`             aiohttp's server in front of the one Handler, and what it reads of a request
- `response_writer`, `stream_writer`    answers that are there, and those that come in pieces

`lifecycle` starts it. It knows no path and no filter.
"""
