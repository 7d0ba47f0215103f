"""Conversations with containers: logs, exec, attach, port-forward, cp; and proxy, which talks to the API for others.

    pods        which pod and which container are meant        logs       whose logs, in which order
    websocket   RFC 6455 as far as the API needs it            channels   several streams over one connection
    remote      a process: standard streams, terminal, exit code          copying    files as tar streams
    ports, forwarding   local ports that lead into a pod       proxying   requests with our credentials

The verbs call it. Kubernetes: client-go/tools/remotecommand and portforward; kubectl/pkg/polymorphichelpers.
"""
