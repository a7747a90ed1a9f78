from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.frequency_caps import FrequencyCaps
from ...models.set_frequency_caps import SetFrequencyCaps

OPERATION = ("PUT", "/v6/app/frequency-caps")


def _request(
    *,
    body: SetFrequencyCaps,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/app/frequency-caps",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> FrequencyCaps:
    response_200 = FrequencyCaps.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: SetFrequencyCaps,
) -> FrequencyCaps:
    """Replace the frequency caps of the app

    Caps limit how many notifications of a `group` reach one user or device within a period. A device
    that is left out has the outcome `capped`. Notifications without a `group` are never left out and
    never counted. The new caps apply to notifications that start afterwards; an earlier notification
    counts if its group had a cap when it was sent.

    Needs the permission `admin`.

    Args:
        body (SetFrequencyCaps):

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
    body: SetFrequencyCaps,
) -> FrequencyCaps:
    """Replace the frequency caps of the app

    Caps limit how many notifications of a `group` reach one user or device within a period. A device
    that is left out has the outcome `capped`. Notifications without a `group` are never left out and
    never counted. The new caps apply to notifications that start afterwards; an earlier notification
    counts if its group had a cap when it was sent.

    Needs the permission `admin`.

    Args:
        body (SetFrequencyCaps):

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
