"""Controllers of objects as such: those that nobody owns any more, are too many, or wait for others.

    garbage_collector/, pod_garbage_collector   what its owners or its node left behind
    namespace/                                  all that is in a namespace that is deleted
    resource_quota/                             what is used, and what is left
    resource_claims                             claims made from templates, and reservations
    validating_admission_policy_status          what is wrong with a policy's expressions

`controllers.selection` names them.
"""
