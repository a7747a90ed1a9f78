from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.api_document import ApiDocument

OPERATION = ("GET", "/openapi.json")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/openapi.json",
    }

    return _kwargs


def _parse(response: httpx.Response) -> ApiDocument:
    response_200 = ApiDocument.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> ApiDocument:
    """This document

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
) -> ApiDocument:
    """This document

    Needs no API key.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
