"""ResourceQuota: nothing is created that a quota of its namespace has no room for, and what is created is charged.

    plugin    who is asked, one write of a namespace after the other, and the charge that is written
    charges   what one write costs which quota, and whether that is too much; pure

What objects count is the catalogue's. Kubernetes: apiserver/pkg/admission/plugin/resourcequota.
"""

from .plugin import ResourceQuota

__all__ = ["ResourceQuota"]
