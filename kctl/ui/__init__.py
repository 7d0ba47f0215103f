"""`kctl ui`: a console in the browser, for the cluster of one context.

    server     the paths of the console, and what answers them       gate      who is let in: key, cookie, Host, Origin
    passage    which requests to the API are passed on, and how      watches   many watches over one WebSocket
    survey     what is asked over every kind: counts, search, who owns whom, what a deletion takes with it
    census     how many there are of each kind, as it changes, and the metadata of all of them, by watches
    opening    the browser, without a secret in its command line     assets    the page: plain JavaScript and CSS

The verb runs it. It listens on the loopback address alone, passes on what the user may do with the user's credentials,
and hands out no file but those of the page.
"""
