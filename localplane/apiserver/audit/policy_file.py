"""A Policy from its YAML file or a dictionary, with all that is wrong with it told at once.

Kubernetes: apiserver/pkg/audit/policy/reader.go, apiserver/pkg/apis/audit/validation. What a Policy does not know is
warned of and left aside, as there.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, aggregate, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.serializers import parse_yaml
from localplane.apimachinery.serializers.errors import SerializationError

from .policy import LEVEL_LABELS, GroupResources, Policy, Rule, Stage

_log = logging.getLogger(__name__)

_API_VERSION = "audit.k8s.io/v1"
_LEVELS = {label: level for level, label in LEVEL_LABELS.items()}
_STAGES = {stage.value: stage for stage in Stage}
_POLICY_FIELDS = ("apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields")
_RULE_FIELDS = (
    *("level", "users", "userGroups", "verbs", "resources", "namespaces", "nonResourceURLs"),
    *("omitStages", "omitManagedFields"),
)


class PolicyInvalid(ValueError):
    """The text says all that is wrong."""


def read_policy_file(path: FilePath) -> Policy:
    try:
        return parse_policy(parse_yaml(path.read_bytes()).value)
    except OSError as error:
        raise PolicyInvalid(f'failed to read file path "{path}": {error.strerror}') from error
    except SerializationError as error:
        raise PolicyInvalid(f"failed decoding: {error}: from file {path}") from error
    except PolicyInvalid as error:
        raise PolicyInvalid(f"{error}: from file {path}") from error


def parse_policy(document: Any) -> Policy:
    if not isinstance(document, Mapping):
        raise PolicyInvalid("failed decoding: the policy is no object")
    if document.get("apiVersion") != _API_VERSION or document.get("kind") != "Policy":
        found = f"{document.get('apiVersion') or ''}, Kind={document.get('kind') or ''}"
        raise PolicyInvalid(f"unknown group version field {found} in policy")
    reader = _Reader()
    policy = reader.policy(document)
    if reader.errors:
        raise PolicyInvalid(aggregate(reader.errors))
    if not policy.rules:
        raise PolicyInvalid("loaded illegal policy with 0 rules")
    return policy


class _Reader:
    """Collects errors instead of stopping at the first. What it returns is worth nothing if there are any."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def policy(self, document: Mapping[str, Any]) -> Policy:
        _warn_of_unknown(document, _POLICY_FIELDS, "the policy")
        stages = self._stages(document, Path(), "omitStages")
        rules = self._objects(document, Path(), "rules")
        return Policy(
            tuple(self._rule(rule, Path("rules")[index]) for index, rule in enumerate(rules)),
            omit_stages=stages,
            omit_managed_fields=self._flag(document, Path(), "omitManagedFields") or False,
        )

    def _rule(self, rule: Mapping[str, Any], path: Path) -> Rule:
        _warn_of_unknown(rule, _RULE_FIELDS, str(path))
        level = rule.get("level") or ""
        if not level:
            self.errors.append(required(path / "level"))
        elif level not in _LEVELS:
            self.errors.append(not_supported(path / "level", level, _LEVELS))
        urls = self._texts(rule, path, "nonResourceURLs")
        self._check_urls(urls, path / "nonResourceURLs")
        namespaces = self._texts(rule, path, "namespaces")
        listed = self._objects(rule, path, "resources")
        if urls and (listed or namespaces):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            self.errors.append(invalid(path / "nonResourceURLs", list(urls), detail))
        return Rule(
            _LEVELS.get(level, _LEVELS["None"]),
            users=self._texts(rule, path, "users"),
            groups=self._texts(rule, path, "userGroups"),
            verbs=self._texts(rule, path, "verbs"),
            resources=tuple(self._resources(entry, path / "resources") for entry in listed),
            namespaces=namespaces,
            non_resource_urls=urls,
            omit_stages=self._stages(rule, path, "omitStages"),
            omit_managed_fields=self._flag(rule, path, "omitManagedFields"),
        )

    def _resources(self, entry: Mapping[str, Any], path: Path) -> GroupResources:
        group = entry.get("group") or ""
        if group not in ("", "*"):
            problems = dns1123_subdomain(str(group))
            if problems:
                self.errors.append(invalid(path / "group", group, ",".join(problems)))
        resources = self._texts(entry, path, "resources")
        names = self._texts(entry, path, "resourceNames")
        if names and not resources:
            detail = "using resourceNames requires at least one resource"
            self.errors.append(invalid(path / "resourceNames", list(names), detail))
        return GroupResources(str(group), resources, names)

    def _check_urls(self, urls: tuple[str, ...], path: Path) -> None:
        for index, url in enumerate(urls):
            if url == "*":
                continue
            if not url.startswith("/"):
                detail = "non-resource URL rules must begin with a '/' character"
                self.errors.append(invalid(path[index], url, detail))
            if "*" in url[:-1]:
                detail = "non-resource URL wildcards '*' must be the final character of the rule"
                self.errors.append(invalid(path[index], url, detail))

    def _stages(self, source: Mapping[str, Any], parent: Path, name: str) -> frozenset[Stage]:
        stages, path = self._texts(source, parent, name), parent / name
        for index, stage in enumerate(stages):
            if stage not in _STAGES:
                self.errors.append(invalid(path[index], stage, f"allowed stages are {','.join(_STAGES)}"))
        return frozenset(_STAGES[stage] for stage in stages if stage in _STAGES)

    def _flag(self, source: Mapping[str, Any], parent: Path, name: str) -> bool | None:
        value = source.get(name)
        if value is None or isinstance(value, bool):
            return value
        self.errors.append(invalid(parent / name, value, "must be true or false"))
        return None

    def _texts(self, source: Mapping[str, Any], parent: Path, name: str) -> tuple[str, ...]:
        return tuple(self._list(source.get(name), parent / name, str, "must be a list of strings"))

    def _objects(self, source: Mapping[str, Any], parent: Path, name: str) -> list[Mapping[str, Any]]:
        return self._list(source.get(name), parent / name, Mapping, "must be a list of objects")

    def _list(self, value: Any, path: Path, kind: type, detail: str) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
            self.errors.append(invalid(path, value, detail))
            return []
        return value


def _warn_of_unknown(source: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = sorted(str(name) for name in source if name not in known)
    if unknown:
        _log.warning("audit policy: unknown fields in %s are left aside: %s", where, ", ".join(unknown))
