"""`kctl watch`: several collections at once, for as long as somebody looks.

    sources     from words to collections            rows       from a server's Table to one row per object
    feed        keeps a copy of each collection and says what changed, each change once, whatever the network does
    changes     what changed, as lines or documents, for a pipe
    board       what is on the screen and what is new about it; drawing makes text of it, cells says how wide that is
    screen      the live view; terminal is what it draws on
    tool        what a person does with it: keys, filters, pages, questions

Only `tool/inspection` changes anything on a server, and only after a question.
"""
