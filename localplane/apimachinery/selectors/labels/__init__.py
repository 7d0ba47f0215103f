"""Label selectors: `app=web,tier in (front, back),!legacy,replicas>2`.

    selector = labels.parse("app=web")   raises InvalidSelector, in Kubernetes' words
    selector.matches({"app": "web"})     the watch's hot path: compiled when the selector is made, never parsed again

Lists, watches and the command line use them. Nothing here knows what an object is. Kubernetes: apimachinery/pkg/labels.
"""

from .parser import parse
from .selector import (
    InvalidSelector,
    Requirement,
    Selector,
    everything,
    from_labels,
    label_selector_text,
    requirement,
    selector_of,
    selector_text,
)

__all__ = [
    "InvalidSelector",
    "Requirement",
    "Selector",
    "everything",
    "from_labels",
    "label_selector_text",
    "parse",
    "requirement",
    "selector_of",
    "selector_text",
]
