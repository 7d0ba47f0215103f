"""What an object of the API is in memory: its JSON, as dictionaries."""

from __future__ import annotations

from localplane.apimachinery.light_typing import Any

JSONObject = dict[str, Any]
