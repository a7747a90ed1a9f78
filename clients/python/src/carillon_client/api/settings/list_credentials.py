from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.credentials import Credentials

OPERATION = ("GET", "/v6/credentials")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/credentials",
    }

    return _kwargs


def _parse(response: httpx.Response) -> Credentials:
    response_200 = Credentials.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> Credentials:
    """List credentials, and the state of the routes that use them

    Private keys cannot be read again.

    Needs the permission `read` or `admin`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(OPERATION, _request())
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
) -> Credentials:
    """List credentials, and the state of the routes that use them

    Private keys cannot be read again.

    Needs the permission `read` or `admin`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
