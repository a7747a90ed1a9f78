from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.count_audience import CountAudience
from ...models.filter_counts import FilterCounts

OPERATION = ("POST", "/v6/audiences/count/filters")


def _request(
    *,
    body: CountAudience,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences/count/filters",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> FilterCounts:
    response_200 = FilterCounts.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: CountAudience,
) -> FilterCounts:
    """Count each of several filters

    For each filter, in the order of the request: the devices that it selects alone, and those left
    after it and all before it. All counts are from one moment. The total comes first; counts that would
    take more than 5 further seconds are null. Stores nothing.

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
) -> FilterCounts:
    """Count each of several filters

    For each filter, in the order of the request: the devices that it selects alone, and those left
    after it and all before it. All counts are from one moment. The total comes first; counts that would
    take more than 5 further seconds are null. Stores nothing.

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
