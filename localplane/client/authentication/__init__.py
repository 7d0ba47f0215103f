"""Who we are to a server, and whether it is who it says. Kubernetes: client-go/transport, plugin/pkg/client/auth/exec.

    credentials     the header or the certificate of a request, renewed in time
    exec_plugin     credentials from a program
    plugin_policy   which programs may run
    tls             the ssl context for a configuration

Transports call it. It never sends a request.
"""
