"""Objects that the command line makes up: `kctl create configmap`, `kctl create service clusterip`, `kctl run`, ...

`commands` lists the sub-commands of `kctl create`; each file makes one kind or a small family and declares its
Command. `making` is what they share: flags, the request, what is printed. No verb's own work is done here.
Kubernetes: kubectl/pkg/cmd/create.
"""
