"""Controllers of services: where they are found, and which addresses they have.

    endpoints, endpoint_slices/, endpoint_slice_mirroring   who answers for a service
    service_cidrs, service_load_balancers                   addresses

`controllers.selection` names them. Nothing here sends a packet.
"""
