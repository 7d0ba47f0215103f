"""What a verb works with: which cluster and namespace, its client, what can be read and written.

    session    one command's surroundings              discovery     which types the server has, kept on disk
    wire_log   what -v tells about requests            versions      which kctl this is
    raw        a path of the server's, as it stands    instruments   what only a plane of ours can be asked
    looking_back   a transport for which the objects are those of another time

Verbs get a `Session`; nothing here knows what they do with it.
"""
