"""What verbs that show something consist of: a room for each, named after the verb.

    describe/  explain/  watch/  top/    the verbs of these names      access/     auth can-i, auth whoami
    tables     get, and get -w           wait    until something is true of an object
    tree       who owns whom             cluster_dump   cluster-info dump
    history    what happened to an object
    remarks    what a person is told beside it, on a terminal

`kctl.commands` and `kctl.changes` call these. Nothing here changes anything, but for what watch asks about first.
"""
