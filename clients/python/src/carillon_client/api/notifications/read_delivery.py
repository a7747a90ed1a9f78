from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.delivery import Delivery

OPERATION = ("GET", "/v6/notifications/{notification_id}/deliveries/{device_id}")


def _request(
    notification_id: UUID,
    device_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/{notification_id}/deliveries/{device_id}".format(
            notification_id=quote(str(notification_id), safe=""),
            device_id=quote(str(device_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> Delivery:
    response_200 = Delivery.from_dict(response.json())

    return response_200


def sync(
    notification_id: UUID,
    device_id: UUID,
    *,
    client: Carillon,
) -> Delivery:
    """Read the outcome for one device

    Outcomes by device are kept for 90 days after the end of a notification (`KEEP_DELIVERIES_DAYS`).

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
) -> Delivery:
    """Read the outcome for one device

    Outcomes by device are kept for 90 days after the end of a notification (`KEEP_DELIVERIES_DAYS`).

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
