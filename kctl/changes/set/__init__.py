"""Small changes to what is there, sent as a strategic merge patch: `kctl set ...`, `kctl rollout pause|resume|restart`.

    patches      finds the objects and their pod templates, changes each, sends what differs, prints
    variables    environment variables as they are typed
    image, env, resources, selector, service_account, subject       one file per sub-command of `set`

Verbs import from here; nothing here knows another verb. Kubernetes: kubectl/pkg/cmd/set, pkg/polymorphichelpers.
"""
