"""The fake kubelet, and pods can be made there: they run at once, and end when the first who is attached leaves.

The image says how: `fails` with exit code 7, `breaks` without telling one, `waits` never begins, `refuses` lets nobody
attach, everything else succeeds. The container of a pod that is `over` has ended before anybody could look.
"""

from __future__ import annotations

import json
from typing import Any

from localplane.apimachinery.objects import JSONObject
from tests.e2e.streaming.fake_http import Request
from tests.e2e.streaming.fake_kubelet import FakeKubelet

_PODS = "/api/v1/namespaces/default/pods"
_READY = {"type": "Ready", "status": "True"}


class StartingKubelet(FakeKubelet):
    async def _answer(self, request: Request) -> None:
        name = request.path.removeprefix(f"{_PODS}/").partition("/")[0]
        match request.method, request.path:
            case "POST", path if path.endswith(("/pods", "/services")):
                await request.answer_json(201, self._make(path, json.loads(request.body)))
            case "PATCH", path if path.endswith("/ephemeralcontainers"):
                await request.answer_json(200, self._add(name, json.loads(request.body)))
            case "DELETE", path:
                del self.objects[path]
                await request.answer_json(200, {"kind": "Status", "apiVersion": "v1", "status": "Success"})
            case "GET", path if path == _PODS and request.value("fieldSelector"):
                await self._one(request)
            case _, path if path.endswith("/attach") and self._image(name) == "refuses":
                await request.refuse(500, "InternalError", "nobody may attach")
            case _:
                await super()._answer(request)
        if request.path.endswith("/attach"):
            self._finish(name)

    def _image(self, name: str) -> str:
        containers = self.objects[f"{_PODS}/{name}"]["spec"]["containers"]
        return str(containers[0].get("image", ""))

    def _make(self, path: str, obj: JSONObject) -> JSONObject:
        obj["metadata"]["namespace"] = "default"
        self.objects[f"{path}/{obj['metadata']['name']}"] = obj
        if obj["kind"] == "Pod":
            containers = obj["spec"]["containers"]
            running = [{"name": one["name"], "state": {"running": {}}} for one in containers]
            phase = {"waits": "Pending", "over": "Succeeded"}.get(containers[0].get("image"), "Running")
            obj["status"] = {"phase": phase, "conditions": [_READY], "containerStatuses": running}
        return obj

    def _add(self, name: str, patch: JSONObject) -> JSONObject:
        pod = self.objects[f"{_PODS}/{name}"]
        added = patch["spec"]["ephemeralContainers"]
        pod["spec"].setdefault("ephemeralContainers", []).extend(added)
        states: dict[str, Any] = {"over": {"terminated": {"exitCode": 0}}}
        pod["status"].setdefault("ephemeralContainerStatuses", []).extend(
            {"name": one["name"], "state": states.get(one["image"], {"running": {}})} for one in added
        )
        return pod

    def _finish(self, name: str) -> None:
        pod, image = self.objects.get(f"{_PODS}/{name}"), self._image(name)
        assert pod is not None
        ended = {"fails": {"exitCode": 7, "reason": "Error", "message": "it had to be"}}.get(image, {})
        pod["status"]["phase"] = "Failed" if image in ("fails", "breaks") else "Succeeded"
        pod["status"]["containerStatuses"] = [{"name": name, "state": {"terminated": ended} if ended else {}}]

    async def _one(self, request: Request) -> None:
        """The pod that is asked for by name; a watch of it hears nothing, and ends with whoever watches."""
        if request.value("watch"):
            await request.begin("application/json")
            await request.reader.read()
            return
        path = f"{_PODS}/{request.value('fieldSelector').partition('=')[2]}"
        items = [self.objects[path]] if path in self.objects else []
        await request.answer_json(200, {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": items})
