from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon

OPERATION = ("GET", "/metrics")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/metrics",
    }

    return _kwargs


def _parse(response: httpx.Response) -> str:
    response_200 = response.text
    return response_200


def sync(
    *,
    client: Carillon,
) -> str:
    """Read the metrics, for Prometheus

    If `METRICS_PORT` is set, only on that port.

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
    """Read the metrics, for Prometheus

    If `METRICS_PORT` is set, only on that port.

    Needs no API key.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
