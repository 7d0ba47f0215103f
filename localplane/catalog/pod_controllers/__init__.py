"""What kinds that make pods from a template have in common: their strategy, their rules, and how they are printed.

The kinds in apps, batch and core call these. Nothing here knows which kind it works for.
"""

from .counters import collision_errors, counter_errors, ready_errors
from .places import SPEC, STATUS, TEMPLATE, template_of
from .printing import container_cells, labels_text, selector_text
from .shown import shown_labels, shown_metadata, shown_selector, shown_template
from .strategy import PodControllerStatusStrategy, PodControllerStrategy, drop_disabled_template_fields
from .templates import (
    always_restarted_errors,
    controlled_template_errors,
    has_bad_values,
    mismatch_errors,
    required_selector_errors,
    selects_something,
)
from .warnings import name_warnings, template_warnings

__all__ = [
    "SPEC",
    "STATUS",
    "TEMPLATE",
    "JSONObject",
    "PodControllerStatusStrategy",
    "PodControllerStrategy",
    "always_restarted_errors",
    "collision_errors",
    "container_cells",
    "controlled_template_errors",
    "counter_errors",
    "drop_disabled_template_fields",
    "has_bad_values",
    "labels_text",
    "mismatch_errors",
    "name_warnings",
    "ready_errors",
    "required_selector_errors",
    "selector_text",
    "selects_something",
    "shown_labels",
    "shown_metadata",
    "shown_selector",
    "shown_template",
    "template_of",
    "template_warnings",
]
