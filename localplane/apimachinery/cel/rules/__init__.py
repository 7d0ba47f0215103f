"""x-kubernetes-validations: what custom resources add. Kubernetes: apiextensions-apiserver/pkg/apiserver/schema/cel.

    rules         the rules of a whole schema, compiled
    rule          one of them, and what is wrong with it
    budgets       how much all of them together may cost
    evaluation    what they have against an object
    correlation   which old value a new one had
    field_paths   `fieldPath`, read

The schemas of definitions call it. It never reads anything but the objects that it is given.
"""
