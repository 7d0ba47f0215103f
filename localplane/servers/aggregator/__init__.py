"""The aggregator: which server answers for which version of a group, as APIServices say.

- `api_services`, `registration`   the kind; those that this process serves itself
- `remote`          what an APIService with a service says, read
- `aggregator`      `Aggregator`: routes requests, tells discovery what others serve
- `available_controller`, `availability`   keep the condition `Available` current; what it says
- `proxy`, `headers`, `connections`   from a request here to one there, and back
- `remote_discovery` another server's answers to discovery and OpenAPI
- `front_proxy`     the certificate by which other servers know this one; where they read of it

`compose` puts it in front of the built-in kinds. A service is reached at its endpoints or its external name: nobody
routes cluster IPs to them here. It never decides what somebody may do: that has happened when a request comes here,
and the other server is told who asks. Kubernetes: kube-aggregator.
"""
