"""Custom resources of one version in another, by a webhook. Versions that differ in nothing need no conversion at all.

- `review`    the protocol: what is asked, and what may be answered
- `webhook`   asking, and keeping answers for those who can't wait for them
- `storage`   a storage that gives and takes objects in one version, whatever version they are stored in

`resources` puts the storage between the registry and the store. Kubernetes: pkg/apiserver/conversion.
"""
