from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.explain_filters import ExplainFilters
from ...models.explanation import Explanation

OPERATION = ("POST", "/v6/audiences/explain")


def _request(
    *,
    body: ExplainFilters,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences/explain",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> Explanation:
    response_200 = Explanation.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: ExplainFilters,
) -> Explanation:
    """Explain why filters select a device or not

    Needs the permission `read`.

    Args:
        body (ExplainFilters):

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
    body: ExplainFilters,
) -> Explanation:
    """Explain why filters select a device or not

    Needs the permission `read`.

    Args:
        body (ExplainFilters):

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
