"""Users as reviews show them."""

from __future__ import annotations

from typing import Any

from localplane.apiserver.request import User


def user_info(user: User) -> dict[str, Any]:
    """A UserInfo, without what is empty."""
    info: dict[str, Any] = {"username": user.name, "uid": user.uid, "groups": list(user.groups)}
    if user.extra:
        info["extra"] = {name: list(values) for name, values in user.extra.items()}
    return {name: value for name, value in info.items() if value}
