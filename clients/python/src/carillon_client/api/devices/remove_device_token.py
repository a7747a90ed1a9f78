from typing import Any
from urllib.parse import quote
from uuid import UUID

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.remove_device_token_token_type import (
    RemoveDeviceTokenTokenType,
)

OPERATION = ("DELETE", "/v6/devices/{device_id}/tokens/{token_type}/{token_name}")


def _request(
    device_id: UUID,
    token_type: RemoveDeviceTokenTokenType,
    token_name: str,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/{device_id}/tokens/{token_type}/{token_name}".format(
            device_id=quote(str(device_id), safe=""),
            token_type=quote(str(token_type), safe=""),
            token_name=quote(str(token_name), safe=""),
        ),
    }

    return _kwargs


def sync(
    device_id: UUID,
    token_type: RemoveDeviceTokenTokenType,
    token_name: str,
    *,
    client: Carillon,
) -> None:
    """Remove a push token for a Live Activity, a widget or another push type

    A token that Apple reports dead is removed without this call.

    Needs the permission `register`.

    Args:
        device_id (UUID):
        token_type (RemoveDeviceTokenTokenType):
        token_name (str):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    client.send(
        OPERATION,
        _request(
            device_id=device_id,
            token_type=token_type,
            token_name=token_name,
        ),
    )


async def asyncio(
    device_id: UUID,
    token_type: RemoveDeviceTokenTokenType,
    token_name: str,
    *,
    client: AsyncCarillon,
) -> None:
    """Remove a push token for a Live Activity, a widget or another push type

    A token that Apple reports dead is removed without this call.

    Needs the permission `register`.

    Args:
        device_id (UUID):
        token_type (RemoveDeviceTokenTokenType):
        token_name (str):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    await client.send(
        OPERATION,
        _request(
            device_id=device_id,
            token_type=token_type,
            token_name=token_name,
        ),
    )
