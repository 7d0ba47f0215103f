"""Calls from this server to others' webhooks.

`webhooks` posts a document to a URL over TLS and reads the answer; what is in them is the caller's business: admission,
conversion. `reviews` asks a webhook about a token or a deed; `documents` reads what others publish. `bodies` reads an
answer to its end, and `failures` says in Go's words why there is none: the aggregator uses them too. It imports nothing
else of the server. Kubernetes: apiserver/pkg/util/webhook.
"""

from .webhooks import Obstacle, WebhookClient, WebhookFailed, WebhookLocation

__all__ = ["Obstacle", "WebhookClient", "WebhookFailed", "WebhookLocation"]
