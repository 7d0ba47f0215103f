"""What a list or a watch may be told. Kubernetes: metav1.ListOptions."""

from __future__ import annotations

from datetime import timedelta

from localplane.apimachinery.light_typing import Final, Literal
from localplane.apimachinery.records import record


@record
class ListOptions:
    """Empty fields are not sent. Of `resource_version`, the empty text and "0" mean different things: the newest
    state, and any state that the server has at hand."""

    label_selector: str = ""
    field_selector: str = ""
    resource_version: str = ""
    resource_version_match: Literal["", "Exact", "NotOlderThan"] = ""
    limit: int = 0
    continue_token: str = ""
    timeout: timedelta | None = None
    allow_watch_bookmarks: bool = False
    send_initial_events: bool | None = None

    def query(self) -> list[tuple[str, str]]:
        initial = None if self.send_initial_events is None else str(self.send_initial_events).lower()
        parameters = {
            "labelSelector": self.label_selector,
            "fieldSelector": self.field_selector,
            "resourceVersion": self.resource_version,
            "resourceVersionMatch": self.resource_version_match,
            "limit": str(self.limit) if self.limit else "",
            "continue": self.continue_token,
            "timeoutSeconds": str(int(self.timeout.total_seconds())) if self.timeout else "",
            "allowWatchBookmarks": "true" if self.allow_watch_bookmarks else "",
            "sendInitialEvents": initial,
        }
        return [(name, value) for name, value in parameters.items() if value]


EVERYTHING: Final = ListOptions()
