from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.device_tokens import DeviceTokens

OPERATION = ("GET", "/v6/devices/{device_id}/tokens")


def _request(
    device_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/{device_id}/tokens".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> DeviceTokens:
    response_200 = DeviceTokens.from_dict(response.json())

    return response_200


def sync(
    device_id: UUID,
    *,
    client: Carillon,
) -> DeviceTokens:
    """List the push tokens of a device for other push types than alerts

    Their types and names. The tokens themselves are not in the reply.

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
) -> DeviceTokens:
    """List the push tokens of a device for other push types than alerts

    Their types and names. The tokens themselves are not in the reply.

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
