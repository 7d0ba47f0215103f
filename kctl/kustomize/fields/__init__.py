"""Where the fields are that transformers change.

field_specs    `spec/template/metadata/labels` of a Deployment, and how it is set
builtin_specs  those of the kinds that kustomize knows      configuration  these, and those that users add
paths          `spec.template.spec.containers.[name=web].image`, of replacements and variables
"""
