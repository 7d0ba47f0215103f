"""Conversations with containers: logs, exec, attach, port-forward, cp.

    pods        which pod and which container are meant        logs       whose logs, in which order
    websocket   RFC 6455 as far as the API needs it            channels   several streams over one connection
    session     a remote process: standard streams, terminal, exit code
    forwarding  local ports that lead into a pod               copying    files as tar streams

The verbs call it. Kubernetes: client-go/tools/remotecommand and portforward; kubectl/pkg/polymorphichelpers.
"""
