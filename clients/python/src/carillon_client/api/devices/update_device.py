from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.registered_device import RegisteredDevice
from ...models.update_device import UpdateDevice

OPERATION = ("PUT", "/v6/devices/{device_id}")


def _request(
    device_id: UUID,
    *,
    body: UpdateDevice,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/{device_id}".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> RegisteredDevice:
    response_200 = RegisteredDevice.from_dict(response.json())

    return response_200


def sync(
    device_id: UUID,
    *,
    client: Carillon,
    body: UpdateDevice,
) -> RegisteredDevice:
    """Update a device

    Omitted attributes keep their values; `null` clears them. A push token of another device is moved to
    this one.

    Needs the permission `register`.

    Args:
        device_id (UUID):
        body (UpdateDevice):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            device_id=device_id,
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    device_id: UUID,
    *,
    client: AsyncCarillon,
    body: UpdateDevice,
) -> RegisteredDevice:
    """Update a device

    Omitted attributes keep their values; `null` clears them. A push token of another device is moved to
    this one.

    Needs the permission `register`.

    Args:
        device_id (UUID):
        body (UpdateDevice):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            device_id=device_id,
            body=body,
        ),
    )
    return _parse(response)
