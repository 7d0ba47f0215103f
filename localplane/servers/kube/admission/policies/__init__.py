"""ValidatingAdmissionPolicy: expressions that are stored decide about a write.

    configuration  policies and bindings, compiled
    params         the objects that a binding names, for expressions to compare with
    deciding       what one policy says of one write
    reviewing      all policies and their bindings
    plugin         the plugin

A policy does nothing before a binding says where and with which parameters. Audit annotations are evaluated, because
that can fail, and then not kept. Nothing here changes an object. Kubernetes: apiserver/pkg/admission/plugin/policy.
"""

from .plugin import ValidatingAdmissionPolicy

__all__ = ["ValidatingAdmissionPolicy"]
