"""The backend on etcd, and everything about etcd as a program: which binary, how to get one, how to run it.

`binary` decides which etcd is used, `install` fetches one into our own cache; the rest speaks etcd's v3 API.
Called by the composition root, and by `kctl etcd` for the binary alone.
Nothing here knows what a Kubernetes object is: keys are text, values are bytes.
"""
