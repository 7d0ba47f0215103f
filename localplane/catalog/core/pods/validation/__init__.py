"""Is a pod spec in order? The rules for pods and for the templates of workloads, one topic per module.

`spec` goes through a spec in Kubernetes' own order and calls the topics: `volumes` (with `volume_sources`, `projected`,
`claims`), `containers` (with `environment`, `resources`, `security`), `scheduling`. `pods` adds what only a pod or only
a template is asked, `annotations` what stands beside the spec; `names` has what all of them use. They expect objects as
decoder and defaults left them, return what they find and change nothing. Kubernetes:
pkg/apis/core/validation/validation.go (ValidatePodSpec and what it calls).
"""
