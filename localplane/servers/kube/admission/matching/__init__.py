"""What webhooks and policies share: which writes they are about, and expressions that are asked about a write.

    configurations  configurations, compiled once for each version of each that is stored
    writes          a write, in whichever version of its kind somebody wants to see it
    criteria        rules and selectors
    requests        the AdmissionRequest, as webhooks and expressions know it
    evaluation      expressions with their variables, and what they may cost
    authorizer      the authorizer that expressions ask
    conditions      matchConditions
    reinvocation    who is asked again after a change

Both kinds of plugins call it; it refuses nothing, calls nobody and changes no object.
Kubernetes: apiserver/pkg/admission/plugin/webhook/predicates, plugin/policy/matching, plugin/cel.
"""
