from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.one_device import OneDevice

OPERATION = ("GET", "/v6/devices/{device_id}")


def _request(
    device_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/{device_id}".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> OneDevice:
    response_200 = OneDevice.from_dict(response.json())

    return response_200


def sync(
    device_id: UUID,
    *,
    client: Carillon,
) -> OneDevice:
    """Read a device

    Needs the permission `read`.

    Args:
        device_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            device_id=device_id,
        ),
    )
    return _parse(response)


async def asyncio(
    device_id: UUID,
    *,
    client: AsyncCarillon,
) -> OneDevice:
    """Read a device

    Needs the permission `read`.

    Args:
        device_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            device_id=device_id,
        ),
    )
    return _parse(response)
