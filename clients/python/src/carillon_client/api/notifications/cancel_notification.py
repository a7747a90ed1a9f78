from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.notification import Notification

OPERATION = ("POST", "/v6/notifications/{notification_id}/cancel")


def _request(
    notification_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/{notification_id}/cancel".format(
            notification_id=quote(str(notification_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> Notification:
    response_200 = Notification.from_dict(response.json())

    return response_200


def sync(
    notification_id: UUID,
    *,
    client: Carillon,
) -> Notification:
    """Cancel a notification

    A scheduled notification is sent to nobody. If it is being sent, no further slice is started, and
    workers stop slices in progress when they next renew a lease or save outcomes; pushes in flight
    still finish.

    Needs the permission `write`.

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
) -> Notification:
    """Cancel a notification

    A scheduled notification is sent to nobody. If it is being sent, no further slice is started, and
    workers stop slices in progress when they next renew a lease or save outcomes; pushes in flight
    still finish.

    Needs the permission `write`.

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
