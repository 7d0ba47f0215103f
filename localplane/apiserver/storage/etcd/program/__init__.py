"""etcd as a program: which binary, how to get one, how to run it.

    binary             which etcd is used
    install/           fetches one into our own cache
    command            its command line
    process            one run of it, and its log
    supervisor         starts it, again if need be, and stops it
    health             whether it answers
    faults             what it says when it fails
    parent_death       it ends when we do
    socket_directory   where its sockets are

The composition root calls it, and `kctl etcd`. Nothing here speaks etcd's API but to ask for its health.
"""
