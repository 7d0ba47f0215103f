"""Service accounts and their long-lived tokens.

    accounts  a `default` one in every namespace     tokens  secrets of type kubernetes.io/service-account-token
    legacy_tokens  those of them that the server made and nobody uses go after a year

Kubernetes: pkg/controller/serviceaccount.
"""
