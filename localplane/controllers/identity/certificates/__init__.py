"""Certificate signing requests: approved where everybody would, signed once they are approved, and cleaned away.

- `approver`    certificatesigningrequest-approving-controller: nodes that ask for their own client certificate
- `signer`      certificatesigningrequest-signing-controller: the four signers of `kubernetes.io`
- `cleaner`     certificatesigningrequest-cleaner-controller
- `requests`    what is in a request, and what each signer wants of it
- `pod_requests`    podcertificaterequest-cleaner-controller
- `trust_bundles`   kube-apiserver-serving-clustertrustbundle-publisher-controller

The supervisor starts them. The authority's key is read by `signer` alone, and goes nowhere else.
"""
