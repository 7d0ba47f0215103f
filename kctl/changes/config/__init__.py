"""`kctl config`, `ctx` and `ns`: kubeconfig files as documents that are shown and changed.

    files      the files of --kubeconfig or $KUBECONFIG: what is in which, and changes written back to where they belong
    view       what `config view` shows        entries   set-cluster, set-credentials, set-context
    properties `config set` and `unset`        texts     what the sub-commands' help says

Nothing here connects to anything. Kubernetes: client-go/tools/clientcmd, kubectl/pkg/cmd/config.
"""
