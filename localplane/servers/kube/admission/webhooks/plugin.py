"""The two plugins: mutating webhooks one after another, validating ones all at once."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, ClassVar, Final

from localplane.apimachinery.errors import APIError, Forbidden
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.registry.lookup import Lookup
from localplane.servers.kube.admission.matching.configurations import Stored
from localplane.servers.kube.admission.matching.criteria import is_exempt
from localplane.servers.kube.admission.matching.reinvocation import Rounds
from localplane.servers.kube.admission.matching.writes import Write, WriteMatch

from .caller import Caller, CallFailed, apply_patch, fatal
from .configuration import Webhook, webhooks_of

_log: Final = logging.getLogger(__name__)


class _WebhookPlugin:
    name: ClassVar[str]
    operations = tuple(Operation)
    resource: ClassVar[str]
    _objects: Lookup
    _authorizer: Authorizer
    _caller: Caller
    _configurations: Stored[tuple[Webhook, ...]]

    def concerns(self, operation: Operation, resource: GroupResource) -> bool:
        return not is_exempt(resource)

    def is_dormant(self) -> bool:
        return self._configurations.is_empty()

    def initialize(self, provided: Any) -> None:
        self._objects = provided.objects
        self._authorizer = provided.authorizer
        self._caller = Caller(provided.objects, provided.faults.webhook_failure)
        self._configurations = Stored(provided.objects, self.resource, webhooks_of)

    async def close(self) -> None:
        await self._caller.close()

    async def _webhooks(self) -> list[Webhook]:
        return [webhook for configured in await self._configurations.all() for webhook in configured]

    async def _match(self, webhook: Webhook, write: Write) -> WriteMatch | None:
        """As what the webhook is asked; None if it is not. Raises APIError if that can't be told."""
        match = await webhook.criteria.match(write)
        if match is None or not webhook.conditions:
            return match
        from localplane.servers.kube.admission.matching.authorizer import Decisions
        from localplane.servers.kube.admission.matching.conditions import ConditionsFailed, are_met
        from localplane.servers.kube.admission.matching.evaluation import Activation

        subject = Activation(write, match, Decisions(self._authorizer))
        try:
            is_met = await are_met(webhook.conditions, subject, ignores_failure=webhook.ignores_failure)
        except ConditionsFailed as error:
            asked = write.attributes
            raise Forbidden.of(asked.resource, asked.name, str(error)) from error
        return match if is_met else None


class MutatingAdmissionWebhook(_WebhookPlugin):
    name = "MutatingAdmissionWebhook"
    resource = "admissionregistration.k8s.io/mutatingwebhookconfigurations"

    async def admit(self, attributes: Attributes) -> None:
        webhooks = await self._webhooks()
        if not webhooks:
            return
        reinvocation = attributes.reinvocation
        rounds: Rounds = reinvocation.notes.setdefault(self.name, Rounds())
        if reinvocation.is_running:
            rounds.begin_again(attributes.object)
        write = Write(attributes, self._objects)
        for webhook in webhooks:
            match = await self._match(webhook, write)
            if match is None or (reinvocation.is_running and not rounds.wants(webhook.uid)):
                continue
            if await self._ask(webhook, write, match):
                rounds.changed()
                reinvocation.is_wanted = True
            if webhook.is_reinvoked:
                rounds.asked(webhook.uid)
        rounds.ended(attributes.object)

    async def _ask(self, webhook: Webhook, write: Write, match: WriteMatch) -> bool:
        """Whether it changed the object."""
        try:
            answer = await self._caller.ask(webhook, write, match, mutates=True)
            return await apply_patch(webhook, answer, write, match)
        except CallFailed as error:
            if problem := fatal(webhook, error):
                raise problem from error
            _log.warning("going on without a mutating webhook: %s", error)
            return False


class ValidatingAdmissionWebhook(_WebhookPlugin):
    name = "ValidatingAdmissionWebhook"
    resource = "admissionregistration.k8s.io/validatingwebhookconfigurations"

    async def validate(self, attributes: Attributes) -> None:
        webhooks = await self._webhooks()
        if not webhooks:
            return
        write = Write(attributes, self._objects)
        asked = [(webhook, match) for webhook in webhooks if (match := await self._match(webhook, write)) is not None]
        problems = await asyncio.gather(*(self._ask(webhook, write, match) for webhook, match in asked))
        for problem in problems:
            if problem is not None:
                raise problem

    async def _ask(self, webhook: Webhook, write: Write, match: WriteMatch) -> APIError | None:
        try:
            await self._caller.ask(webhook, write, match, mutates=False)
        except CallFailed as error:
            problem = fatal(webhook, error)
            if problem is None:
                _log.warning("going on without a validating webhook: %s", error)
            return problem
        except APIError as error:
            return error
        return None
