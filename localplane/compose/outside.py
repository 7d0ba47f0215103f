"""Who outside of this process is asked whose a token is and who may do what: webhooks, an OpenID provider."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from localplane.apiserver.authentication import TokenAuthenticator
from localplane.apiserver.authorization.delegated import WebhookAuthorizer
from localplane.apiserver.outbound.reviews import ReviewWebhook
from localplane.apiserver.server.options import AuthenticationOptions, InvalidOptions, OIDCOptions
from localplane.client import ClientError
from localplane.tls.authorities import NoAuthorities

from .options import AuthorizationMode, AuthorizationOptions

if TYPE_CHECKING:
    from localplane.apiserver.authentication.oidc import Provider


async def webhook_authorizer(options: AuthorizationOptions, stack: AsyncExitStack) -> WebhookAuthorizer | None:
    """None if nobody wants one. Raises InvalidOptions."""
    if AuthorizationMode.WEBHOOK not in options.modes or options.webhook_config is None:
        return None
    webhook = await stack.enter_async_context(_review_webhook(options.webhook_config))
    return WebhookAuthorizer(
        webhook,
        version=options.webhook_version,
        allowed_for=options.authorized_remembered,
        denied_for=options.unauthorized_remembered,
    )


async def outside_authenticators(
    options: AuthenticationOptions, audiences: tuple[str, ...], stack: AsyncExitStack
) -> list[TokenAuthenticator]:
    """In Kubernetes' order. What they need is imported here: few servers have any. Raises InvalidOptions."""
    found: list[TokenAuthenticator] = []
    if options.oidc.issuer_url:
        from localplane.apiserver.authentication.oidc import OIDCAuthenticator
        from localplane.apiserver.outbound.documents import DocumentClient

        authorities = options.oidc.ca_file.read_bytes() if options.oidc.ca_file else b""
        try:
            documents = await stack.enter_async_context(DocumentClient(authorities))
        except NoAuthorities as error:
            raise InvalidOptions([f"oidc-ca-file {options.oidc.ca_file}: {error}"]) from error
        found.append(OIDCAuthenticator(_provider(options.oidc), documents.fetch))
    if options.webhook.config is not None:
        from localplane.apiserver.authentication.token_webhook import TokenWebhook

        webhook = await stack.enter_async_context(_review_webhook(options.webhook.config))
        found.append(
            TokenWebhook(
                webhook,
                own_audiences=audiences,
                version=options.webhook.version,
                remembered=options.webhook.remembered,
            )
        )
    return found


def _review_webhook(config: Path) -> ReviewWebhook:
    try:
        return ReviewWebhook.of_kubeconfig(config)
    except ClientError as error:
        raise InvalidOptions([f"{config} is no kubeconfig of a webhook: {error}"]) from error


def _provider(options: OIDCOptions) -> Provider:
    """Kubernetes: pkg/kubeapiserver/options (BuiltInAuthenticationOptions.ToAuthenticationConfig)."""
    from localplane.apiserver.authentication.oidc import Provider

    prefix = options.username_prefix
    if prefix == "-":
        prefix = ""
    elif not prefix and options.username_claim != "email":
        prefix = f"{options.issuer_url}#"
    return Provider(
        issuer=options.issuer_url,
        client_id=options.client_id,
        username_claim=options.username_claim,
        username_prefix=prefix,
        groups_claim=options.groups_claim,
        groups_prefix=options.groups_prefix,
        required_claims=options.required_claims,
        algorithms=options.signing_algorithms,
    )
