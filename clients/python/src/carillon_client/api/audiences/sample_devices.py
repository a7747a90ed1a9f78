from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.count_audience import CountAudience
from ...models.device_sample import DeviceSample

OPERATION = ("POST", "/v6/audiences/sample")


def _request(
    *,
    body: CountAudience,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences/sample",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> DeviceSample:
    response_200 = DeviceSample.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: CountAudience,
) -> DeviceSample:
    """Show a few devices that filters select

    The first 10 by id, which is random. Stores nothing.

    Needs the permission `read`.

    Args:
        body (CountAudience):

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
    body: CountAudience,
) -> DeviceSample:
    """Show a few devices that filters select

    The first 10 by id, which is random. Stores nothing.

    Needs the permission `read`.

    Args:
        body (CountAudience):

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
