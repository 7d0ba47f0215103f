"""Who may do what: `kctl auth can-i` and `whoami`.

    can_i, whoami    the two commands        rules    policy rules: broken down, joined, compared

Kubernetes: kubectl/pkg/cmd/auth, component-helpers/auth/rbac.
"""
