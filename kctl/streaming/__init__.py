"""Conversations with containers: logs, exec, attach, port-forward, cp; and proxy, which talks to the API for others.

    pods           which pod and which container are meant     logs        whose logs, in which order
    dial           a connection that stops being HTTP          remote      a process, and its exit code
    websocket      RFC 6455 as far as the API needs it         spdy        SPDY/3.1, likewise
    channels       a process's streams over either of them     attach      joining one that runs already
    terminal       our terminal while it belongs to a process  file_copy   files as tar streams
    port_forward   local ports that lead into a pod
    proxy          requests with our credentials, upgraded ones, and files beside them

The verbs call it, and those that start a pod and stay with it. It never decides what a verb prints about objects.
Kubernetes: client-go/tools/remotecommand and portforward; kubectl/pkg/polymorphichelpers and proxy.
"""
