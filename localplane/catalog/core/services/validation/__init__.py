"""Rules of a Service: `spec` and `cluster_ips` for every write, `changes` for updates, `status` for its status.

The strategies call them. They return all that they find and change nothing. Kubernetes: pkg/apis/core/validation.
"""
