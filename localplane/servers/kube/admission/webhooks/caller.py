"""One call to one webhook, and all that can go wrong with it."""

from __future__ import annotations

from localplane.apimachinery.errors import APIError, BadRequest, InternalError
from localplane.apimachinery.golang.text import go_quote, json_type
from localplane.apimachinery.patch import json_patch
from localplane.apimachinery.patch.errors import PatchError
from localplane.apiserver.outbound import Obstacle, WebhookClient, WebhookFailed, WebhookLocation
from localplane.apiserver.registry.lookup import Lookup
from localplane.catalog.service_addresses import NoAddress, service_address
from localplane.servers.kube.admission.matching.writes import Write, WriteMatch

from .configuration import Webhook
from .review import InvalidReview, Undecodable, WebhookAnswer, WebhookReview, refusal

_WITHOUT_SIDE_EFFECTS = ("None", "NoneOnDryRun")


class CallFailed(Exception):
    """A webhook could not be asked, or made no sense: what its failure policy is for."""

    def __init__(self, webhook: Webhook, why: str) -> None:
        super().__init__(f"failed calling webhook {go_quote(webhook.name)}: {why}")


class Caller:
    """Close it when done."""

    def __init__(self, objects: Lookup, obstacle: Obstacle | None = None) -> None:
        self._objects = objects
        self._client = WebhookClient(obstacle)

    async def close(self) -> None:
        await self._client.close()

    async def ask(self, webhook: Webhook, write: Write, match: WriteMatch, *, mutates: bool) -> WebhookAnswer:
        """The answer of a webhook that has nothing against it. Raises CallFailed, or the refusal."""
        asked = write.attributes
        if asked.dry_run and webhook.side_effects not in _WITHOUT_SIDE_EFFECTS:
            raise BadRequest(f"admission webhook {go_quote(webhook.name)} does not support dry run")
        try:
            review = WebhookReview(write, match, webhook.review_versions)
        except InvalidReview as error:
            raise CallFailed(webhook, f"could not create admission objects: {error}") from error
        try:
            place = await self._place(webhook)
            body = await self._client.post(place, await review.question(), within=webhook.timeout, name=webhook.name)
            answer = review.answer(body, mutates=mutates)
        except (WebhookFailed, Undecodable) as error:
            raise CallFailed(webhook, f"failed to call webhook: {error}") from error
        except InvalidReview as error:
            raise CallFailed(webhook, f"received invalid webhook response: {error}") from error
        asked.warnings.extend(answer.warnings)
        if not answer.is_allowed:
            raise refusal(webhook.name, answer.status)
        return answer

    async def _place(self, webhook: Webhook) -> WebhookLocation:
        if webhook.service is None:
            return WebhookLocation(webhook.url, authorities=webhook.authorities)
        namespace, name = webhook.service.get("namespace", ""), webhook.service.get("name", "")
        port, path = webhook.service.get("port") or 443, (webhook.service.get("path") or "").removeprefix("/")
        url = f"https://{name}.{namespace}.svc:{port}/{path}"
        try:
            host, actual = await service_address(self._objects, namespace, name, port)
        except NoAddress as error:
            shown = go_quote(f"{url}?timeout={int(webhook.timeout.total_seconds())}s")
            raise WebhookFailed(f"Post {shown}: {error}") from error
        return WebhookLocation(url, host=host, port=actual, authorities=webhook.authorities)


async def apply_patch(webhook: Webhook, answer: WebhookAnswer, write: Write, match: WriteMatch) -> bool:
    """Whether it changed anything. Raises CallFailed for what is no patch, APIError for one that can't be applied."""
    if not answer.patch:
        return False
    try:
        operations = json_patch.decode_json_patch(answer.patch, strict=False)
    except PatchError as error:
        raise CallFailed(webhook, f"received undecodable patch in webhook response: {error}") from error
    if not operations:
        return False
    if write.attributes.object is None:
        what = "attempted to modify the object, which is not supported for this operation"
        raise InternalError.of(f"admission webhook {go_quote(webhook.name)} {what}")
    if answer.patch_type != "JSONPatch":
        raise CallFailed(webhook, f"unsupported patch type {go_quote(answer.patch_type)}")
    try:
        patched = json_patch.apply(operations, (await write.seen_as(match.kind)).object)
    except PatchError as error:
        raise InternalError.of(str(error)) from error
    if not isinstance(patched, dict):
        raise InternalError.of(
            f"json: cannot unmarshal {json_type(patched)} into Go value of type map[string]interface {{}}"
        )
    return await write.replace(match.kind, patched)


def fatal(webhook: Webhook, error: CallFailed) -> APIError | None:
    """What a failed call means for the write: nothing, if the webhook may be ignored."""
    return None if webhook.ignores_failure else InternalError.of(str(error))
