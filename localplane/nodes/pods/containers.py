"""What a pod's status says of one container, in each of its states. Nothing here decides what comes next.

Kubernetes: pkg/kubelet, convertToAPIContainerStatuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import InvalidTime, format_time, parse_time
from localplane.nodes.options import NodeOptions

RUNTIME: Final = "simulated"
KILLED: Final = 137
TERMINATED: Final = 143


def waiting_status(container: Mapping[str, Any], reason: str) -> JSONObject:
    """Of a container that has never run."""
    status: JSONObject = {
        "name": container["name"],
        "state": {"waiting": {"reason": reason}},
        "lastState": {},
        "ready": False,
        "restartCount": 0,
        "image": container.get("image", ""),
        "imageID": "",
        "started": False,
    }
    if mounts := _mounts(container):
        status["volumeMounts"] = mounts
    return status


def _mounts(container: Mapping[str, Any]) -> list[JSONObject]:
    mounts = []
    for mount in container.get("volumeMounts") or ():
        status: JSONObject = {"name": mount["name"], "mountPath": mount["mountPath"]}
        if mount.get("readOnly"):
            wanted = mount.get("recursiveReadOnly") in ("Enabled", "IfPossible")
            status |= {"readOnly": True, "recursiveReadOnly": "Enabled" if wanted else "Disabled"}
        mounts.append(status)
    return mounts


def wait(status: JSONObject, reason: str, message: str = "") -> None:
    """What ran before becomes the last state."""
    if "terminated" in status["state"]:
        status["lastState"] = status["state"]
    status["state"] = {"waiting": {"reason": reason} | ({"message": message} if message else {})}
    status["ready"] = False
    status["started"] = False


def start(status: JSONObject, pod: Mapping[str, Any], container: Mapping[str, Any], moment: datetime) -> None:
    """A new run. One that has run before is counted."""
    if "terminated" in status["state"]:
        status["lastState"] = status["state"]
    if status.get("lastState"):
        status["restartCount"] = status.get("restartCount", 0) + 1
    image = container.get("image", "")
    status["state"] = {"running": {"startedAt": format_time(moment)}}
    status["containerID"] = container_id(pod["metadata"]["uid"], container["name"], status["restartCount"])
    status["image"], status["imageID"] = image, image_id(image)
    status["user"] = _user(pod, container)
    allocate(status, container)
    actuate(status, container)


def container_id(uid: str, name: str, restarts: int) -> str:
    return f"{RUNTIME}://{sha256(f'{uid}/{name}/{restarts}'.encode()).hexdigest()}"


def image_id(image: str) -> str:
    name = image.partition("@")[0]
    head, slash, tail = name.rpartition("/")
    return f"{head}{slash}{tail.partition(':')[0]}@sha256:{sha256(image.encode()).hexdigest()}"


def _user(pod: Mapping[str, Any], container: Mapping[str, Any]) -> JSONObject:
    of_pod, own = pod["spec"].get("securityContext") or {}, container.get("securityContext") or {}
    uid = own.get("runAsUser", of_pod.get("runAsUser", 0))
    gid = own.get("runAsGroup", of_pod.get("runAsGroup", 0))
    groups = [gid, *(of_pod.get("supplementalGroups") or ())]
    if "fsGroup" in of_pod:
        groups.append(of_pod["fsGroup"])
    return {"linux": {"uid": uid, "gid": gid, "supplementalGroups": list(dict.fromkeys(groups))}}


def allocate(status: JSONObject, container: Mapping[str, Any]) -> None:
    """What it is granted."""
    requests = (container.get("resources") or {}).get("requests")
    if requests:
        status["allocatedResources"] = dict(requests)
    else:
        status.pop("allocatedResources", None)


def actuate(status: JSONObject, container: Mapping[str, Any]) -> None:
    """What it has."""
    resources = container.get("resources") or {}
    status["resources"] = {key: deepcopy(resources[key]) for key in ("limits", "requests") if resources.get(key)}


def end(status: JSONObject, exit_code: int, moment: datetime, *, reason: str = "", message: str = "") -> None:
    started = status["state"].get("running", {}).get("startedAt")
    ended: JSONObject = {
        "exitCode": exit_code,
        "reason": reason or ("Completed" if exit_code == 0 else "Error"),
        "startedAt": started,
        "finishedAt": format_time(moment),
        "containerID": status.get("containerID", ""),
    }
    if message:
        ended["message"] = message
    status["state"] = {"terminated": ended}
    status["ready"] = False
    status["started"] = False


def lose(status: JSONObject) -> None:
    """It was never seen to run, and its pod is over. Kubernetes: the status manager's TerminatePod."""
    message = "The container could not be located when the pod was terminated"
    ended = {"exitCode": KILLED, "reason": "ContainerStatusUnknown", "message": message}
    status["state"] = {"terminated": ended | {"startedAt": None, "finishedAt": None}}
    status["ready"] = False
    status["started"] = False


def time_of(text: Any) -> datetime | None:
    try:
        return parse_time(text) if isinstance(text, str) else None
    except InvalidTime:
        return None


# Whether a container that has ended starts again, and after how long.
#
# Kubernetes: pkg/api/v1/pod (ContainerShouldRestart) and pkg/kubelet/kuberuntime (doBackOff).


def is_to_restart(pod: Mapping[str, Any], container: Mapping[str, Any], exit_code: int) -> bool:
    """The container's own rules and policy come before the pod's."""
    policy = container.get("restartPolicy")
    if policy:
        if _matches_a_rule(container, exit_code):
            return True
        return bool(policy == "Always" or (policy == "OnFailure" and exit_code != 0))
    match pod["spec"].get("restartPolicy", "Always"):
        case "Never":
            return False
        case "OnFailure":
            return exit_code != 0
        case _:
            return True


def _matches_a_rule(container: Mapping[str, Any], exit_code: int) -> bool:
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        listed = exit_code in (codes.get("values") or ())
        if listed == (codes.get("operator") == "In"):
            return True
    return False


def back_off(restarts: int, options: NodeOptions) -> float:
    """Seconds between the end of a run and the next: none after the first, then twice as many each time."""
    if restarts == 0:
        return 0.0
    pace = options.pace
    doubled = pace.back_off.total_seconds() * 2.0 ** min(restarts - 1, 30)
    return min(doubled, pace.longest_back_off.total_seconds()) / options.speed
