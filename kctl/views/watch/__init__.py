"""`kctl watch`: several collections at once, for as long as somebody looks.

    sources     from words to collections            rows       from a server's Table to one row per object
    feed        keeps a copy of each collection and says what changed, each change once, whatever the network does
    changes     what changed, as lines or documents, for a pipe
    board       what is on the screen and what is new about it; drawing makes text of it, screen owns the terminal

Nothing here changes anything on a server.
"""
