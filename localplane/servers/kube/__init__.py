"""The server of the built-in kinds: what a fresh cluster has, what admission it has, how its tokens are made.

The kinds themselves are the catalogue's. `compose` calls this; nothing in here opens a socket or reads a flag.
"""
