"""kwok's Stage objects: what people say themselves about how pods and nodes go from one state to the next.

    queries     the paths by which a Stage looks at an object, a small part of jq
    stage       a Stage as it was read: whom it selects, when, how likely, and what it does
    templates   its templates, with kwok's functions
    stage_watch the Stages there are; nobody watches them before their definition is there
    driver      choosing the next stage of an object and doing what it says

A Stage that selects a pod on a simulated node, or a simulated Node, drives it: the kubelet here leaves it alone as long
as one does, and afterwards if what runs is not its own. What is not understood of a Stage is refused with an event
about it, and then the Stage counts for nothing. Kubernetes SIGs: kwok, pkg/apis/v1alpha1 and pkg/utils/lifecycle.
"""
