from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.audience import Audience
from ...models.create_audience import CreateAudience

OPERATION = ("POST", "/v6/audiences")


def _request(
    *,
    body: CreateAudience,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> Audience:
    response_201 = Audience.from_dict(response.json())

    return response_201


def sync(
    *,
    client: Carillon,
    body: CreateAudience,
) -> Audience:
    """Create a named audience

    Always creates a new audience, even if another has the same filters or the same name.

    Needs the permission `write`.

    Args:
        body (CreateAudience):

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
    body: CreateAudience,
) -> Audience:
    """Create a named audience

    Always creates a new audience, even if another has the same filters or the same name.

    Needs the permission `write`.

    Args:
        body (CreateAudience):

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
