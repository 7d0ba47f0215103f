"""One file per verb: decode, admit, call the registry, answer. The installer puts them on paths; they raise APIErrors
and never touch HTTP beyond Request and Response.

    connect    any method on a stream or a proxy: admission is asked, and whoever is connected to answers
    create     POST: decode, say who owns the fields, admit, store
    delete     DELETE of one object and of a collection
    get        GET of one object: usually the bytes as they are stored
    list       GET of a collection
    patch      PATCH: a change to whatever is there, worked out again when somebody else was faster
    update     PUT: the whole object, against the version that the client saw
    watch      watch: a stream that ends when its time is over, when the client goes, or when it can't keep up
"""
