"""Rules of a Service: `spec` for every write (with `traffic`: policies, affinity, load balancers and what they report),
`changes` for updates.

The strategies call them. They return all that they find and change nothing. Kubernetes: pkg/apis/core/validation.
"""
