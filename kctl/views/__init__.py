"""What verbs that show something consist of: a room for each, named after the verb.

    describe/  explain/  watch/  top/    the verbs of these names      access/     auth can-i, auth whoami
    tables     get, and get -w           wait    until something is true of an object
    tree       who owns whom             cluster_dump   cluster-info dump

`kctl.commands` and `kctl.changes` call these. Nothing here changes anything.
"""
