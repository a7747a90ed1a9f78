from typing import Any
from urllib.parse import quote
from uuid import UUID

from ...async_client import AsyncCarillon
from ...client import Carillon

OPERATION = ("DELETE", "/v6/devices/{device_id}")


def _request(
    device_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/{device_id}".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }

    return _kwargs


def sync(
    device_id: UUID,
    *,
    client: Carillon,
) -> None:
    """Erase a device and all of its data

    Its id stays erased: later updates and events for it are refused.

    Needs the permission `admin`.

    Args:
        device_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    client.send(
        OPERATION,
        _request(
            device_id=device_id,
        ),
    )


async def asyncio(
    device_id: UUID,
    *,
    client: AsyncCarillon,
) -> None:
    """Erase a device and all of its data

    Its id stays erased: later updates and events for it are refused.

    Needs the permission `admin`.

    Args:
        device_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    await client.send(
        OPERATION,
        _request(
            device_id=device_id,
        ),
    )
