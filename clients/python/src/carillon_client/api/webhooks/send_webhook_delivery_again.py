from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.webhook_test import WebhookTest

OPERATION = ("POST", "/v6/webhooks/{webhook_id}/deliveries/{delivery_id}/retry")


def _request(
    webhook_id: UUID,
    delivery_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/webhooks/{webhook_id}/deliveries/{delivery_id}/retry".format(
            webhook_id=quote(str(webhook_id), safe=""),
            delivery_id=quote(str(delivery_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> WebhookTest:
    response_202 = WebhookTest.from_dict(response.json())

    return response_202


def sync(
    webhook_id: UUID,
    delivery_id: UUID,
    *,
    client: Carillon,
) -> WebhookTest:
    """Send an event again

    Under the same `webhook-id`, also if it was delivered; at once if it waits for its next attempt. An
    event that is more than a day old gets one attempt.

    Needs the permission `write`.

    Args:
        webhook_id (UUID):
        delivery_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            webhook_id=webhook_id,
            delivery_id=delivery_id,
        ),
    )
    return _parse(response)


async def asyncio(
    webhook_id: UUID,
    delivery_id: UUID,
    *,
    client: AsyncCarillon,
) -> WebhookTest:
    """Send an event again

    Under the same `webhook-id`, also if it was delivered; at once if it waits for its next attempt. An
    event that is more than a day old gets one attempt.

    Needs the permission `write`.

    Args:
        webhook_id (UUID):
        delivery_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            webhook_id=webhook_id,
            delivery_id=delivery_id,
        ),
    )
    return _parse(response)
