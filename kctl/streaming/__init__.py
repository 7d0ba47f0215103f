"""Conversations with containers: logs, exec, attach, port-forward, cp; and proxy, which talks to the API for others.

    pods, preference    which pod and which container are meant       logs       whose logs, in which order
    dialing             a connection that stops being HTTP            timing     waiting, but not for ever
    websocket           RFC 6455 as far as the API needs it           spdy, spdy_frames   SPDY/3.1, likewise
    channels            a process's streams over either of them       remote     a process, and its exit code
    terminal            our terminal while it belongs to a process    attaching  joining one that runs already
    ports, forwarding   local ports that lead into a pod              copying    files as tar streams
    proxying, tunnelling, static_files   requests with our credentials, upgraded ones, and files beside them

The verbs call it, and those that start a pod and stay with it. It never decides what a verb prints about objects.
Kubernetes: client-go/tools/remotecommand and portforward; kubectl/pkg/polymorphichelpers and proxy.
"""
