"""kuberc: a person's own aliases, defaults of flags, and which credential plugins may run.

    files         which file it is, and `kctl kuberc set`      decoding   what it says, in every version
    application   what it makes of a command line

`cli` asks for it before anything else, and pays for one look at the disk where there is none. Nothing here connects to
anything. Kubernetes: kubectl/pkg/kuberc, kubectl/pkg/config.
"""
