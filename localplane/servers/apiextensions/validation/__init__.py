"""What is wrong with a CustomResourceDefinition, in Kubernetes' words.

`definition` is the whole, `spec` and its neighbours are parts of it; `structural`, `openapi` and `defaults` judge
schemas; `demands` says what a definition that is already stored is still forgiven. The strategies call `definition`.
Nothing here changes an object. Kubernetes: pkg/apis/apiextensions/validation and pkg/apiserver/schema.

Beside these:

    approval        groups of the Kubernetes community are protected: a definition in one says who approved it
    conversion      how objects come from one version to another
    field_paths     paths to a field that a schema has: `.spec.size`, `['a.b'].c`
    list_types      the rules for x-kubernetes-list-type and x-kubernetes-map-type
    names           the names of a custom resource
    presentation    printer columns, subresources and selectable fields
    unpruned        defaults with fields that their own schema does not know
"""
