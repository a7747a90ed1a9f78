from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.app import App

OPERATION = ("GET", "/v6/app")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/app",
    }

    return _kwargs


def _parse(response: httpx.Response) -> App:
    response_200 = App.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> App:
    """Read the app, and what it has for sending

    Says of each route to devices (Apple’s production and sandbox, Google) whether there are devices and
    credentials, and whether sending is paused.

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
) -> App:
    """Read the app, and what it has for sending

    Says of each route to devices (Apple’s production and sandbox, Google) whether there are devices and
    credentials, and whether sending is paused.

    Needs the permission `read`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
