"""How a request travels.

    interface            Transport, Response: what a request is and what comes back; a server may speak it in-process
    aiohttp_transport    over sockets, many requests at a time, on an event loop
    blocking_transport   over one socket, one request after the other, without a loop: what a short command needs
    http1                HTTP/1.1 and gzip as bytes
    sockets, socks, proxies   connections: plain, through SOCKS5, which proxy for which server
    headers              in whose name a request is, and what a server warns of
    driver               runs a coroutine without an event loop
    downloads            a file from any HTTP server

`rest` calls it, and who streams. It knows bytes and headers, never an object.
"""
