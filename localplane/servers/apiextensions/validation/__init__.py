"""What is wrong with a CustomResourceDefinition, in Kubernetes' words.

`definition` is the whole, `spec` and its neighbours are parts of it; `structural`, `openapi` and `defaults` judge
schemas; `demands` says what a definition that is already stored is still forgiven. The strategies call `definition`.
Nothing here changes an object. Kubernetes: pkg/apis/apiextensions/validation and pkg/apiserver/schema.
"""
