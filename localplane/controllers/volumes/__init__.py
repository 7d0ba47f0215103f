"""Storage: claims find volumes, both stay for as long as somebody needs them, and pods get claims of their own.

- `binder`                     persistentvolume-binder-controller: `claims`, `volumes` and `bindings` are what it does,
                               `volume_choice` how it chooses
- `simulation`                 a provisioner without a disk behind it, which runs beside the binder
- `claim_protection`, `volume_protection`, `attributes_class_protection`   finalizers (`protection`)
- `expander`                   persistentvolume-expander-controller
- `ephemeral`                  claims of pods for their own volumes; `claim_users` knows which pods use a claim

The supervisor starts them. They see the API and nothing else: no byte is ever stored or deleted on a disk here.
"""
