"""Small changes to what is there, sent as a strategic merge patch: `kctl set ...`, `kctl rollout pause|resume|restart`.

    pod_specs    where a kind keeps its pod template     schema    which of the lists on the way merge, by which key
    patching     finds the objects, changes each, sends what differs, prints
    image, env, resources, selector, service_account, subject       one file per sub-command of `set`

Verbs import from here; nothing here knows another verb. Kubernetes: kubectl/pkg/cmd/set, pkg/polymorphichelpers.
"""
