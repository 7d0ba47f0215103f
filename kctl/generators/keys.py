"""What keys may be called. Kubernetes: apimachinery/pkg/util/validation, IsConfigMapKey, IsEnvVarName, IsValidPortName."""

from __future__ import annotations

import re

from localplane.apimachinery.names import max_length_error, regex_error

_CONFIG_MAP_KEY = "[-._a-zA-Z0-9]+"
_ENV_VAR_NAME = "[-._a-zA-Z][-._a-zA-Z0-9]*"
_LONGEST_KEY = 253
_LONGEST_PORT_NAME = 15


def config_map_key(key: str) -> list[str]:
    problems = [max_length_error(_LONGEST_KEY)] if len(key) > _LONGEST_KEY else []
    if not re.fullmatch(_CONFIG_MAP_KEY, key):
        what = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        problems.append(regex_error(what, _CONFIG_MAP_KEY, "key.name", "KEY_NAME", "key-name"))
    return problems + _dots(key)


def env_var_name(name: str) -> list[str]:
    problems = []
    if not re.fullmatch(_ENV_VAR_NAME, name):
        what = (
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and "
            "must not start with a digit"
        )
        problems.append(regex_error(what, _ENV_VAR_NAME, "my.env-name", "MY_ENV.NAME", "MyEnvName1"))
    return problems + _dots(name)


def _dots(name: str) -> list[str]:
    if name in (".", ".."):
        return [f"must not be '{name}'"]
    return ["must not start with '..'"] if name.startswith("..") else []


def port_name(name: str) -> list[str]:
    problems = [max_length_error(_LONGEST_PORT_NAME)] if len(name) > _LONGEST_PORT_NAME else []
    if not re.fullmatch("[-a-z0-9]+", name):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", name):
        problems.append("must contain at least one letter (a-z)")
    if "--" in name:
        problems.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems
