"""The policy group: budgets for disruptions. `localplane.catalog` lists it; evictions of pods ask the budgets.

Who counts the pods that a budget stands for is a controller, and none of ours.
"""

from .pod_disruption_budgets import POD_DISRUPTION_BUDGETS

RESOURCES = (POD_DISRUPTION_BUDGETS,)
