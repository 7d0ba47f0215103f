"""Certificate signing requests and trust bundles."""

from __future__ import annotations

from localplane.catalog.declaring import builtin

RESOURCES = (
    builtin("certificates.k8s.io/certificatesigningrequests"),
    builtin("certificates.k8s.io/clustertrustbundles"),
    builtin("certificates.k8s.io/podcertificaterequests"),
)
