from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.notification_preview import NotificationPreview
from ...models.preview_notification import PreviewNotification

OPERATION = ("POST", "/v6/notifications/preview")


def _request(
    *,
    body: PreviewNotification,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/preview",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> NotificationPreview:
    response_200 = NotificationPreview.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: PreviewNotification,
) -> NotificationPreview:
    """Preview a notification: faults, sizes, and what each gateway would get

    Takes the body of a create request and stores nothing. The status is 200 even for a notification
    that creation would refuse: then `refusal` is the reply of creation. The pushes are compiled by the
    functions that send them, also while the target is missing. With a `device_id`, the reply has what
    that device would get, in its language.

    Needs the permission `read`.

    Args:
        body (PreviewNotification):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    body: PreviewNotification,
) -> NotificationPreview:
    """Preview a notification: faults, sizes, and what each gateway would get

    Takes the body of a create request and stores nothing. The status is 200 even for a notification
    that creation would refuse: then `refusal` is the reply of creation. The pushes are compiled by the
    functions that send them, also while the target is missing. With a `device_id`, the reply has what
    that device would get, in its language.

    Needs the permission `read`.

    Args:
        body (PreviewNotification):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            body=body,
        ),
    )
    return _parse(response)
