"""What a person does with the live view: moves, sorts, filters, opens, follows, changes.

    keys         from bytes to names of keys             listing      which rows there are, in which order; the cursor
    pages        texts, choices and questions on the screen
    help_text    what `?` shows
    inspection   what is asked of the server about one object, or done to it when somebody has said yes

    visits       where somebody looks, and where they came from
    commands     what keys do, with all of these

`screen` reads keys and draws. Nothing here draws by itself or owns a terminal.
"""
