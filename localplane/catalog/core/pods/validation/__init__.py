"""Is a pod spec in order? The rules for pods and for the templates of workloads, one topic per module.

`spec` goes through a spec in Kubernetes' own order and calls the topics; `template` and `pods` add what only a template
or only a pod is asked. They expect objects as decoder and defaults left them, return what they find and change nothing.
Kubernetes: pkg/apis/core/validation/validation.go (ValidatePodSpec and what it calls).
"""
