"""What a job may be. Kubernetes: pkg/apis/batch/validation, ValidateJobCreate and validateJobSpec."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, not_supported, required, too_long
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain, regex_error, size
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import InvalidSelector, selector_of
from localplane.catalog.core.pods.validation.pods import pod_template_errors
from localplane.catalog.pod_controllers import (
    has_bad_values,
    mismatch_errors,
    shown_labels,
    shown_selector,
)
from localplane.catalog.validation.rules import Counts
from localplane.catalog.validation.selectors import selector_errors
from localplane.catalog.validation.values import one_of

from .job_defaults import CONTROLLER_UID, JOB_NAME, OLD_CONTROLLER_UID, OLD_JOB_NAME
from .job_policies import failure_policy_errors, success_policy_errors

_COUNTS = Counts(
    *("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"),
    *("backoffLimitPerIndex", "maxFailedIndexes"),
)
_MANY = 100_000
_FEWER = 10_000
_MANAGER_MAX = 63
_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_is_path = re.compile(_PATH).fullmatch


def job_spec_errors(spec: JSONObject, path: Path, before: JSONObject | None) -> Iterator[FieldError]:
    """With its selector: a job of its own, not one in the template of a cron job."""
    yield from common_spec_errors(spec, path)
    selector = spec.get("selector")
    forgiven = before is not None and has_bad_values(before.get("selector"))
    if selector is None:
        yield required(path / "selector")
    else:
        yield from selector_errors(selector, path / "selector", forgive_values=forgiven)
    with suppress(InvalidSelector):  # that has been told already
        yield from mismatch_errors(selector, spec.get("template") or {}, path / "template")


def common_spec_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _COUNTS(spec, path)
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield required(path / "backoffLimitPerIndex", "when maxFailedIndexes is specified")
    if (manager := spec.get("managedBy")) is not None:
        yield from _manager_errors(manager, path / "managedBy")
    yield from _mode_errors(spec, path)
    if "podFailurePolicy" in spec:
        yield from failure_policy_errors(spec, path / "podFailurePolicy")
    if "successPolicy" in spec:
        yield from success_policy_errors(spec, path / "successPolicy")
    yield from _replacement_errors(spec, path / "podReplacementPolicy")
    yield from pod_template_errors(spec.get("template") or {}, path / "template")
    yield from _restart_errors(spec, path / "template" / "spec" / "restartPolicy")


def _manager_errors(manager: str, path: Path) -> Iterator[FieldError]:
    """A domain-prefixed path. Kubernetes: util/validation, IsDomainPrefixedPath."""
    host, slash, rest = manager.partition("/")
    if not manager:
        yield required(path)
    elif not (host and slash and rest):
        yield invalid(path, manager, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        yield from (invalid(path, host, problem) for problem in dns1123_subdomain(host))
        if not _is_path(rest):
            yield invalid(path, rest, regex_error("Invalid path", _PATH))
    if size(manager) > _MANAGER_MAX:
        yield too_long(path, _MANAGER_MAX)


def _mode_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    mode = spec.get("completionMode")
    if mode not in (None, "NonIndexed", "Indexed"):
        yield not_supported(path / "completionMode", mode, ("NonIndexed", "Indexed"))
    if mode == "Indexed":
        yield from _indexed_errors(spec, path)
    elif mode in (None, "NonIndexed"):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(name) is not None:
                yield invalid(path / name, spec[name], "requires indexed completion mode")


def _indexed_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    completions, parallelism, failed = map(spec.get, ("completions", "parallelism", "maxFailedIndexes"))
    if completions is None:
        yield required(path / "completions", "when completion mode is Indexed")
    if parallelism is not None and parallelism > _MANY:
        told = f"must be less than or equal to {_MANY} when completion mode is Indexed"
        yield invalid(path / "parallelism", parallelism, told)
    if completions is not None and failed is not None and failed > completions:
        yield invalid(path / "maxFailedIndexes", failed, "must be less than or equal to completions")
    if failed is not None and failed > _MANY:
        yield invalid(path / "maxFailedIndexes", failed, f"must be less than or equal to {_MANY}")
    if completions is None or completions <= _MANY or spec.get("backoffLimitPerIndex") is None:
        return
    if failed is None:
        yield required(path / "maxFailedIndexes", f"must be specified when completions is above {_MANY}")
    limit = (
        f"must be less than or equal to {_FEWER} when completions are above {_MANY} and used with backoff limit per "
        "index"
    )
    for name, value in (("parallelism", parallelism), ("maxFailedIndexes", failed)):
        if value is not None and value > _FEWER:
            yield invalid(path / name, value, limit)


def _replacement_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    policy = spec.get("podReplacementPolicy")
    if policy is not None:
        supported = ("Failed",) if "podFailurePolicy" in spec else ("Failed", "TerminatingOrFailed")
        yield from one_of(policy, supported, path)


def _restart_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """A job's pods are not always started again; without a word in the template they would be."""
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy", "")
    if policy in ("", "Always"):
        yield required(path, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield not_supported(path, policy, ("OnFailure", "Never"))
    elif policy != "Never" and "podFailurePolicy" in spec:
        yield invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')


def generated_selector_errors(obj: JSONObject) -> Iterator[FieldError]:
    """That the labels and the selector are those that were generated, unless the client wanted its own."""
    spec, metadata = obj["spec"], obj["metadata"]
    if spec.get("manualSelector") or "selector" not in spec:
        return
    name, uid = metadata.get("name", ""), metadata.get("uid", "")
    expected = {OLD_CONTROLLER_UID: uid, OLD_JOB_NAME: name, CONTROLLER_UID: uid, JOB_NAME: name}
    labels = (spec["template"].get("metadata") or {}).get("labels") or {}
    place = Path("spec.template.metadata.labels")
    for key, value in expected.items():
        if key not in labels:
            yield required(place[key], f"must be '{value}'")
        elif labels[key] != value:
            yield invalid(place[key], shown_labels(labels), f"must be '{value}'")
    try:
        selector = selector_of(spec["selector"])
    except InvalidSelector:
        return  # that is told elsewhere
    if selector is not None and not selector.matches(expected):
        yield invalid(Path("spec.selector"), shown_selector(spec["selector"]), "`selector` not auto-generated")


def host_name_errors(obj: JSONObject) -> Iterator[FieldError]:
    """The pods of an indexed job are called after their index, which must leave a host's name."""
    spec, name = obj["spec"], obj["metadata"].get("name", "")
    completions = spec.get("completions") or 0
    if spec.get("completionMode") != "Indexed" or completions <= 0:
        return
    longest = f"{name}-{completions - 1}"
    if dns1123_label(longest):
        told = f"will not able to create pod with invalid DNS label: {longest}"
        yield invalid(Path("metadata.name"), name, told)
