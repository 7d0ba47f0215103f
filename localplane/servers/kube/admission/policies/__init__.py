"""MutatingAdmissionPolicy and ValidatingAdmissionPolicy: expressions that are stored change a write, or refuse it.

    configuration  policies and bindings, compiled
    invocations    which of them are applied to a write
    params         the objects that a binding names, for expressions to compare with
    mutations      the changes, one after another; `patch` is a single one
    review         the verdicts; `denials` is that of a single policy
    plugin         the two plugins

A policy does nothing before a binding says where and with which parameters. Audit annotations are evaluated, because
that can fail, and then not kept. Kubernetes: apiserver/pkg/admission/plugin/policy.
"""

from .plugin import MutatingAdmissionPolicy, ValidatingAdmissionPolicy

__all__ = ["MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"]
