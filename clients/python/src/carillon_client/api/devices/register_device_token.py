from typing import Any
from urllib.parse import quote
from uuid import UUID

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.register_device_token import RegisterDeviceToken
from ...models.register_device_token_token_type import RegisterDeviceTokenTokenType

OPERATION = ("PUT", "/v6/devices/{device_id}/tokens/{token_type}/{token_name}")


def _request(
    device_id: UUID,
    token_type: RegisterDeviceTokenTokenType,
    token_name: str,
    *,
    body: RegisterDeviceToken,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/{device_id}/tokens/{token_type}/{token_name}".format(
            device_id=quote(str(device_id), safe=""),
            token_type=quote(str(token_type), safe=""),
            token_name=quote(str(token_name), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def sync(
    device_id: UUID,
    token_type: RegisterDeviceTokenTokenType,
    token_name: str,
    *,
    client: Carillon,
    body: RegisterDeviceToken,
) -> None:
    """Register a push token for a Live Activity, a widget or another push type

    A token replaces the one of the same type and name. An app may call this whenever iOS reports a
    token; a call that changes nothing writes nothing.

    Needs the permission `register`.

    Args:
        device_id (UUID):
        token_type (RegisterDeviceTokenTokenType):
        token_name (str):
        body (RegisterDeviceToken):

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
            body=body,
        ),
    )


async def asyncio(
    device_id: UUID,
    token_type: RegisterDeviceTokenTokenType,
    token_name: str,
    *,
    client: AsyncCarillon,
    body: RegisterDeviceToken,
) -> None:
    """Register a push token for a Live Activity, a widget or another push type

    A token replaces the one of the same type and name. An app may call this whenever iOS reports a
    token; a call that changes nothing writes nothing.

    Needs the permission `register`.

    Args:
        device_id (UUID):
        token_type (RegisterDeviceTokenTokenType):
        token_name (str):
        body (RegisterDeviceToken):

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
            body=body,
        ),
    )
