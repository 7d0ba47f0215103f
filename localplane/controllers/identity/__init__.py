"""Controllers of who is who: certificates, service accounts, roles.

    certificates/              requests that are approved, signed, and removed; trust bundles
    service_accounts/          the default account, and its tokens
    root_ca                    the ConfigMap with the cluster's authority in every namespace
    cluster_role_aggregation   roles that are the sum of others
    namespaces                 what those that make an object in every namespace share

`controllers.selection` names them.
"""
