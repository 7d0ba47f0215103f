"""The vocabulary of the Kubernetes API: pure, imports nothing else of ours. Everybody may use it.

The only I/O is the reading of tables of types (`api_types`); meta/v1 is one of them, in `types`.

Beside these:

    cel/              the Common Expression Language as Kubernetes 1.37 speaks it
    clock/            what time it is, and waiting for it: the machine's, or that of a plane whose clock is advanced
    errors            what the API says no with: one class for each of Kubernetes' reasons
    fieldpath         field errors: what is wrong with an object, where, and in Kubernetes' own words
    golang/           what Go does and Python does otherwise
    groups            groups, versions, kinds and resources: the names of everything in the API
    jsonpath/         JSONPath, as Kubernetes has it
    light_typing      the names of `typing`, for what every command line imports
    managedfields/    field management: who owns which field of an object, and server-side apply, which builds on it
    memoization       what was worked out for a text, kept for the next time
    names             what names may look like, and Kubernetes' sentences about those that don't
    objectmeta        is an object's metadata in order? The same answer for every kind, built in or custom
    objects           what an object of the API is in memory: its JSON, as dictionaries
    patch/            patches: what a client sends to change an object without sending all of it
    quantity          amounts of resources: `500m`, `1.5Gi`, `12e6`
    records           frozen dataclasses with slots that are made fast, for what every command line has to import
    schema/           schemas: what the objects of a kind may hold, compiled once from a class
    selectors/        selectors: texts that say which objects are meant
    serializers/      bodies: JSON and YAML in and out, and the headers that say which is which
    time_slices       long work on an event loop in slices of a few milliseconds
    times             times and durations as Go and Kubernetes write, read and shorten them
"""
