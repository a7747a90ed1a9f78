from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon

OPERATION = ("GET", "/docs")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/docs",
    }

    return _kwargs


def _parse(response: httpx.Response) -> str:
    response_200 = response.text
    return response_200


def sync(
    *,
    client: Carillon,
) -> str:
    """This document as a page

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
) -> str:
    """This document as a page

    Needs no API key.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
