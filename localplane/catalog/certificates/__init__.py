"""Certificate signing requests, trust bundles, and requests for certificates of pods. The server's list of groups calls
this; nothing here signs anything.

    issuance                 what a signer may answer to a pod's request
    pem                      PEM as Go's encoding/pem reads it: whatever is no block is passed over
    signing_request_rules    what may stand in a certificate signing request, and what may become of it
    x509                     what is in requests and certificates, and what is wrong with them
"""

from __future__ import annotations

from .certificate_signing_requests import CERTIFICATE_SIGNING_REQUESTS
from .cluster_trust_bundles import CLUSTER_TRUST_BUNDLES
from .pod_certificate_requests import POD_CERTIFICATE_REQUESTS

RESOURCES = (CERTIFICATE_SIGNING_REQUESTS, CLUSTER_TRUST_BUNDLES, POD_CERTIFICATE_REQUESTS)
