"""The policy group: budgets for disruptions. `localplane.catalog` lists it; evictions of pods ask the budgets.

The pods that a budget stands for are counted by a controller, not here.

    status    what is said of a budget: by a controller that counts, and by evictions
"""

from .pod_disruption_budgets import POD_DISRUPTION_BUDGETS

RESOURCES = (POD_DISRUPTION_BUDGETS,)
