from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.push_token_state import PushTokenState

OPERATION = ("GET", "/v6/devices/{device_id}/push-token")


def _request(
    device_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/{device_id}/push-token".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> PushTokenState:
    response_200 = PushTokenState.from_dict(response.json())

    return response_200


def sync(
    device_id: UUID,
    *,
    client: Carillon,
) -> PushTokenState:
    """Read the state of a device’s push token

    Whether the device has a token, and when and why it has lost others. The token itself is not in the
    reply.

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
) -> PushTokenState:
    """Read the state of a device’s push token

    Whether the device has a token, and when and why it has lost others. The token itself is not in the
    reply.

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
