"""Objects that the command line makes up: `kctl create configmap`, `kctl create service clusterip`, `kctl run`, ...

    table       the sub-commands of `kctl create`      generator   what they share: flags, the request, what is printed
    configmap, secret, service, ingress                one kind each
    accounts, roles, policies, workloads               a small family each

No verb's own work is done here. Kubernetes: kubectl/pkg/cmd/create.
"""
