from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.frequency_caps import FrequencyCaps

OPERATION = ("GET", "/v6/app/frequency-caps")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/app/frequency-caps",
    }

    return _kwargs


def _parse(response: httpx.Response) -> FrequencyCaps:
    response_200 = FrequencyCaps.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> FrequencyCaps:
    """Read the frequency caps of the app

    Needs the permission `read`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(OPERATION, _request())
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
) -> FrequencyCaps:
    """Read the frequency caps of the app

    Needs the permission `read`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
