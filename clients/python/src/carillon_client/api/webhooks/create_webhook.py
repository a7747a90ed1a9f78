from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.create_webhook import CreateWebhook
from ...models.created_webhook import CreatedWebhook

OPERATION = ("POST", "/v6/webhooks")


def _request(
    *,
    body: CreateWebhook,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/webhooks",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> CreatedWebhook:
    response_201 = CreatedWebhook.from_dict(response.json())

    return response_201


def sync(
    *,
    client: Carillon,
    body: CreateWebhook,
) -> CreatedWebhook:
    """Create a webhook

    At most 10 per app. Each event is sent as a POST of JSON, signed with the secret in this reply as
    described at https://www.standardwebhooks.com. It is repeated for up to a day until the receiver
    replies with 2xx.

    Needs the permission `write`.

    Args:
        body (CreateWebhook):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    body: CreateWebhook,
) -> CreatedWebhook:
    """Create a webhook

    At most 10 per app. Each event is sent as a POST of JSON, signed with the secret in this reply as
    described at https://www.standardwebhooks.com. It is repeated for up to a day until the receiver
    replies with 2xx.

    Needs the permission `write`.

    Args:
        body (CreateWebhook):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            body=body,
        ),
    )
    return _parse(response)
