"""The generic API server library. It contains no built-in kind's name.

admission/         admission: the last word on a write, after authorization and before storage
audit/             who did what, when, and what came of it: audit.k8s.io/v1
authentication/    who asks: from a request's credentials to a User
authorization/     what somebody may do: from the attributes of a request to a decision
declared           whether names and values of a declaration can be served
dialects/          how a kind is spoken of: what is read from a client, how it is told what is wrong
endpoints/         from an HTTP request to the registry and back
faults/            faults on demand: what goes wrong for requests that somebody has chosen, as often as he has said
flow_control/      how many requests are served at once, and to which flow each belongs
long_work          what takes long, so that it holds up nobody
outbound/          calls from this server to others' webhooks
registry/          between the verbs of the API and storage: one path that serves every resource
request            a request on its way through the server, and the answer on its way back
request_log        who asked what lately: a ring in memory
resource           what a library user declares
storage/           storage: objects under keys, with history
"""
