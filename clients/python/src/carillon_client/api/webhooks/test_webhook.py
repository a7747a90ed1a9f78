from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.webhook_test import WebhookTest

OPERATION = ("POST", "/v6/webhooks/{webhook_id}/test")


def _request(
    webhook_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/webhooks/{webhook_id}/test".format(
            webhook_id=quote(str(webhook_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> WebhookTest:
    response_202 = WebhookTest.from_dict(response.json())

    return response_202


def sync(
    webhook_id: UUID,
    *,
    client: Carillon,
) -> WebhookTest:
    """Send a test event

    A `webhook.test`, delivered and repeated like any other event.

    Needs the permission `write`.

    Args:
        webhook_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            webhook_id=webhook_id,
        ),
    )
    return _parse(response)


async def asyncio(
    webhook_id: UUID,
    *,
    client: AsyncCarillon,
) -> WebhookTest:
    """Send a test event

    A `webhook.test`, delivered and repeated like any other event.

    Needs the permission `write`.

    Args:
        webhook_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            webhook_id=webhook_id,
        ),
    )
    return _parse(response)
