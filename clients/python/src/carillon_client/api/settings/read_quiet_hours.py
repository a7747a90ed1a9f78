from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.quiet_hours import QuietHours

OPERATION = ("GET", "/v6/app/quiet-hours")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/app/quiet-hours",
    }

    return _kwargs


def _parse(response: httpx.Response) -> QuietHours:
    response_200 = QuietHours.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> QuietHours:
    """Read the quiet hours of the app

    Needs the permission `read`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(OPERATION, _request())
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
) -> QuietHours:
    """Read the quiet hours of the app

    Needs the permission `read`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
