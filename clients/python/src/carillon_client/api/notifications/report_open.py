from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.nothing import Nothing
from ...models.report_open import ReportOpen

OPERATION = ("POST", "/v6/notifications/{notification_id}/opens")


def _request(
    notification_id: UUID,
    *,
    body: ReportOpen,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/{notification_id}/opens".format(
            notification_id=quote(str(notification_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> Nothing:
    response_202 = Nothing.from_dict(response.json())

    return response_202


def sync(
    notification_id: UUID,
    *,
    client: Carillon,
    body: ReportOpen,
) -> Nothing:
    """Report that a device opened a notification

    The push carries the id of the notification as `_nid`. A device counts once, and only if the push
    was sent to it; the reply is the same for any other device of the app.

    Needs the permission `register`.

    Args:
        notification_id (UUID):
        body (ReportOpen):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            notification_id=notification_id,
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    notification_id: UUID,
    *,
    client: AsyncCarillon,
    body: ReportOpen,
) -> Nothing:
    """Report that a device opened a notification

    The push carries the id of the notification as `_nid`. A device counts once, and only if the push
    was sent to it; the reply is the same for any other device of the app.

    Needs the permission `register`.

    Args:
        notification_id (UUID):
        body (ReportOpen):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            notification_id=notification_id,
            body=body,
        ),
    )
    return _parse(response)
