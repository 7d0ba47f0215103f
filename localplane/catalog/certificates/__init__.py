"""Certificate signing requests, trust bundles, and requests for certificates of pods. The server's list of groups calls
this; nothing here signs anything."""

from __future__ import annotations

from .certificate_signing_requests import CERTIFICATE_SIGNING_REQUESTS
from .cluster_trust_bundles import CLUSTER_TRUST_BUNDLES
from .pod_certificate_requests import POD_CERTIFICATE_REQUESTS

RESOURCES = (CERTIFICATE_SIGNING_REQUESTS, CLUSTER_TRUST_BUNDLES, POD_CERTIFICATE_REQUESTS)
