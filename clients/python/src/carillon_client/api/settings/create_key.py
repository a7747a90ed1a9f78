from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.create_key import CreateKey
from ...models.created_key import CreatedKey

OPERATION = ("POST", "/v6/keys")


def _request(
    *,
    body: CreateKey,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/keys",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> CreatedKey:
    response_201 = CreatedKey.from_dict(response.json())

    return response_201


def sync(
    *,
    client: Carillon,
    body: CreateKey,
) -> CreatedKey:
    """Create an API key

    Needs the permission `admin`.

    Args:
        body (CreateKey):

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
    body: CreateKey,
) -> CreatedKey:
    """Create an API key

    Needs the permission `admin`.

    Args:
        body (CreateKey):

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
