from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.readiness import Readiness

OPERATION = ("GET", "/readyz")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/readyz",
    }

    return _kwargs


def _parse(response: httpx.Response) -> Readiness:
    response_200 = Readiness.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> Readiness:
    """Check whether the service is ready

    The service is ready even without its queue: workers then find new notifications in the database
    within about a second.

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
) -> Readiness:
    """Check whether the service is ready

    The service is ready even without its queue: workers then find new notifications in the database
    within about a second.

    Needs no API key.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
