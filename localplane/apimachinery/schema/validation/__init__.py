"""Whether a value is what its schema asks for.

- `checks`        yes or no, compiled to answer yes fast
- `violations`    what is wrong, in the words of Kubernetes' validation of custom resources
- `embedded`      resources within resources
- `formats`       the formats of text

`Schema.validate` calls it. It changes no value.
"""
