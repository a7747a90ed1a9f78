from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.key_list import KeyList

OPERATION = ("GET", "/v6/keys")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/keys",
    }

    return _kwargs


def _parse(response: httpx.Response) -> KeyList:
    response_200 = KeyList.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> KeyList:
    """List API keys, newest first

    Revoked ones as well; at most 1,000. The keys themselves cannot be read again.

    Needs the permission `admin`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(OPERATION, _request())
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
) -> KeyList:
    """List API keys, newest first

    Revoked ones as well; at most 1,000. The keys themselves cannot be read again.

    Needs the permission `admin`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
