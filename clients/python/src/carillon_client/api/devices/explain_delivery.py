from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.delivery_explanation import DeliveryExplanation

OPERATION = (
    "GET",
    "/v6/notifications/{notification_id}/deliveries/{device_id}/explanation",
)


def _request(
    notification_id: UUID,
    device_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/{notification_id}/deliveries/{device_id}/explanation".format(
            notification_id=quote(str(notification_id), safe=""),
            device_id=quote(str(device_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> DeliveryExplanation:
    response_200 = DeliveryExplanation.from_dict(response.json())

    return response_200


def sync(
    notification_id: UUID,
    device_id: UUID,
    *,
    client: Carillon,
) -> DeliveryExplanation:
    """Explain why a device did not get a notification

    Joins the state of the notification, its audience, the outcome, the push token and the route. The
    first cause is the answer. A device that the app does not have is a cause, not an error.

    Needs the permission `read`.

    Args:
        notification_id (UUID):
        device_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            notification_id=notification_id,
            device_id=device_id,
        ),
    )
    return _parse(response)


async def asyncio(
    notification_id: UUID,
    device_id: UUID,
    *,
    client: AsyncCarillon,
) -> DeliveryExplanation:
    """Explain why a device did not get a notification

    Joins the state of the notification, its audience, the outcome, the push token and the route. The
    first cause is the answer. A device that the app does not have is a cause, not an error.

    Needs the permission `read`.

    Args:
        notification_id (UUID):
        device_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            notification_id=notification_id,
            device_id=device_id,
        ),
    )
    return _parse(response)
