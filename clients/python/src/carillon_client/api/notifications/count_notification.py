from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.count_notification import CountNotification
from ...models.device_count import DeviceCount

OPERATION = ("POST", "/v6/notifications/count")


def _request(
    *,
    body: CountNotification,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/count",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> DeviceCount:
    response_200 = DeviceCount.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: CountNotification,
) -> DeviceCount:
    """Count the devices that a notification would go to

    Takes every form of `to`. Stores nothing.

    Needs the permission `read`.

    Args:
        body (CountNotification):

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
    body: CountNotification,
) -> DeviceCount:
    """Count the devices that a notification would go to

    Takes every form of `to`. Stores nothing.

    Needs the permission `read`.

    Args:
        body (CountNotification):

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
