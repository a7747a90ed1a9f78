from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.notification_stats import NotificationStats

OPERATION = ("GET", "/v6/stats/notifications/{notification_id}/events")


def _request(
    notification_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/stats/notifications/{notification_id}/events".format(
            notification_id=quote(str(notification_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> NotificationStats:
    response_200 = NotificationStats.from_dict(response.json())

    return response_200


def sync(
    notification_id: UUID,
    *,
    client: Carillon,
) -> NotificationStats:
    """Read the statistics of a notification: pushes and opens

    Needs the permission `read`.

    Args:
        notification_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            notification_id=notification_id,
        ),
    )
    return _parse(response)


async def asyncio(
    notification_id: UUID,
    *,
    client: AsyncCarillon,
) -> NotificationStats:
    """Read the statistics of a notification: pushes and opens

    Needs the permission `read`.

    Args:
        notification_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            notification_id=notification_id,
        ),
    )
    return _parse(response)
