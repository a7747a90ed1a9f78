from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.webhook_delivery_list import WebhookDeliveryList

OPERATION = ("GET", "/v6/webhooks/{webhook_id}/deliveries")


def _request(
    webhook_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/webhooks/{webhook_id}/deliveries".format(
            webhook_id=quote(str(webhook_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> WebhookDeliveryList:
    response_200 = WebhookDeliveryList.from_dict(response.json())

    return response_200


def sync(
    webhook_id: UUID,
    *,
    client: Carillon,
) -> WebhookDeliveryList:
    """List the latest deliveries of a webhook

    The latest 100, newest first. Finished deliveries are kept for 7 days.

    Needs the permission `read`.

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
) -> WebhookDeliveryList:
    """List the latest deliveries of a webhook

    The latest 100, newest first. Finished deliveries are kept for 7 days.

    Needs the permission `read`.

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
