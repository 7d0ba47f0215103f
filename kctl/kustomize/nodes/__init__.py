"""YAML as kustomize handles it: trees in which a scalar is still the text that was written.

    node     Scalar, Map, Seq               scalars     what a scalar's text means
    parser   from bytes                     fields      reading and setting fields, by kustomize's rules
    emitter  as YAML in the form it had     conversion  from and to JSON values; the YAML that is printed

Nothing here knows what a Kubernetes object is.
"""
