from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.notification_report import NotificationReport

OPERATION = ("GET", "/v6/notifications/{notification_id}/report")


def _request(
    notification_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/{notification_id}/report".format(
            notification_id=quote(str(notification_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> NotificationReport:
    response_200 = NotificationReport.from_dict(response.json())

    return response_200


def sync(
    notification_id: UUID,
    *,
    client: Carillon,
) -> NotificationReport:
    """Read why devices did not get a notification, and how fast it was sent

    The reasons of all outcomes but `accepted`, each with the number of its devices and an explanation,
    and a curve of the sending. The report is made from one row per 1,000 devices: ask for it every few
    seconds at most.

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
) -> NotificationReport:
    """Read why devices did not get a notification, and how fast it was sent

    The reasons of all outcomes but `accepted`, each with the number of its devices and an explanation,
    and a curve of the sending. The report is made from one row per 1,000 devices: ask for it every few
    seconds at most.

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
