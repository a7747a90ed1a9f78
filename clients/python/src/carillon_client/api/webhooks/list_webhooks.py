from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.webhook_list import WebhookList

OPERATION = ("GET", "/v6/webhooks")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/webhooks",
    }

    return _kwargs


def _parse(response: httpx.Response) -> WebhookList:
    response_200 = WebhookList.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> WebhookList:
    """List webhooks, oldest first

    Needs the permission `read`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(OPERATION, _request())
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
) -> WebhookList:
    """List webhooks, oldest first

    Needs the permission `read`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
