"""Who may do what: `kctl auth can-i|whoami|reconcile`.

`rules` compares and tidies policy rules; one file for each sub-command. Kubernetes: kubectl/pkg/cmd/auth,
component-helpers/auth/rbac.
"""
