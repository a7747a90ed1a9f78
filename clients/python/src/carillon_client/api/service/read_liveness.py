from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.liveness import Liveness

OPERATION = ("GET", "/healthz")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/healthz",
    }

    return _kwargs


def _parse(response: httpx.Response) -> Liveness:
    response_200 = Liveness.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> Liveness:
    """Check whether the process answers

    Needs no API key.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(OPERATION, _request())
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
) -> Liveness:
    """Check whether the process answers

    Needs no API key.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
