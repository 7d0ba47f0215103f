"""EndpointSlices of the services that select pods, and what the other controllers of endpoints share with them.

`controller` keeps the slices, `membership` says which pods stand behind a service and by which addresses and ports,
`slices` puts endpoints into slices, `port_order` has the order of their ports, `hints` says for which zones and nodes
they are, and `tracker` remembers what was written and not yet seen. Kubernetes: pkg/controller/endpointslice and
k8s.io/endpointslice.
"""

from .controller import start

__all__ = ["start"]
