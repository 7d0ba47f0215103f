"""kuberc: a person's own aliases, defaults of flags, and which credential plugins may run.

    locating   which file it is            decoding   what it says, in every version
    applying   what it makes of a command line        saving     `kctl kuberc set`

`cli` asks for it before anything else, and pays for one look at the disk where there is none. Nothing here connects to
anything. Kubernetes: kubectl/pkg/kuberc, kubectl/pkg/config.
"""
