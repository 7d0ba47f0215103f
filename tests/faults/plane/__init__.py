"""The same judge before a whole plane: `kctl up` as a process, spoken to over TLS by clients that do as client-go does.

`connection` and `client` are that client, `load` and `followers` its users. Between it and the server, and between the
server and an etcd of ours, stands a proxy that cuts, holds and delays; `processes` are what can be killed and
stopped, `stage` puts all that up and `nemesis` strikes. `committed` reads the store's own log beside the server while
it is written.
`lies` puts a server that errs into the client's way, to see that the judge would notice.

An operation here is one call of a client, however often its request was sent. That is the point: an answer that invites
another try must not be given when the first one may have happened.
"""
