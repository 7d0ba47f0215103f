"""kube-apiserver's command line: what starts it (envtest and its like) starts this server instead.

    flags            the flags that there are, in a table without code: what `--help` shows
    command_line     from arguments to what was said, by pflag's rules
    translation      from what was said to ClusterOptions, and to sentences about what has no effect
    feature_gates    their names                          runtime_config   which versions somebody asks for
    program          a server until SIGTERM; its errors in kube-apiserver's words

`localplane kube-apiserver` calls it, and so does the script of that name which `kctl envtest` prepares. Only `program`
and `translation` import what a server needs, and only when one is started: envtest asks for `--help` before each.

Beside these:

    serving     one server from its start until a signal ends it
    stand_in    an `etcd` that is none: it answers whoever waits for etcd
"""
