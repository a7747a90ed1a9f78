from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.explanation import Explanation

OPERATION = ("GET", "/v6/audiences/{audience_id}/devices/{device_id}")


def _request(
    audience_id: UUID,
    device_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences/{audience_id}/devices/{device_id}".format(
            audience_id=quote(str(audience_id), safe=""),
            device_id=quote(str(device_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> Explanation:
    response_200 = Explanation.from_dict(response.json())

    return response_200


def sync(
    audience_id: UUID,
    device_id: UUID,
    *,
    client: Carillon,
) -> Explanation:
    """Explain why a device is in an audience or not

    Needs the permission `read`.

    Args:
        audience_id (UUID):
        device_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            audience_id=audience_id,
            device_id=device_id,
        ),
    )
    return _parse(response)


async def asyncio(
    audience_id: UUID,
    device_id: UUID,
    *,
    client: AsyncCarillon,
) -> Explanation:
    """Explain why a device is in an audience or not

    Needs the permission `read`.

    Args:
        audience_id (UUID):
        device_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            audience_id=audience_id,
            device_id=device_id,
        ),
    )
    return _parse(response)
