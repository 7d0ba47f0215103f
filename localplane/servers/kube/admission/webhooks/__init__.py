"""MutatingAdmissionWebhook and ValidatingAdmissionWebhook: others are asked about a write, over HTTPS.

    configuration   a webhook as it is configured
    review          the AdmissionReview that is sent, and the one that must come back
    caller          one call, and everything that can go wrong with it
    plugin          the two plugins

They ask those whose rules match, and act by their failure policy if one can't be asked. Audit annotations are not kept.
Kubernetes: apiserver/pkg/admission/plugin/webhook.
"""

from .plugin import MutatingAdmissionWebhook, ValidatingAdmissionWebhook

__all__ = ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"]
