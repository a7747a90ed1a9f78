from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.channel_broadcast import ChannelBroadcast
from ...models.create_broadcast import CreateBroadcast

OPERATION = ("POST", "/v6/channels/{channel_id}/broadcasts")


def _request(
    channel_id: UUID,
    *,
    body: CreateBroadcast,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/channels/{channel_id}/broadcasts".format(
            channel_id=quote(str(channel_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> ChannelBroadcast:
    response_202 = ChannelBroadcast.from_dict(response.json())

    return response_202


def sync(
    channel_id: UUID,
    *,
    client: Carillon,
    body: CreateBroadcast,
) -> ChannelBroadcast:
    """Update or end the Live Activities of a channel

    The broadcast is stored and sent at once, at most one a second per channel. If Apple is not
    available, it is sent later. A newer broadcast replaces one that waits.

    Needs the permission `write`.

    Args:
        channel_id (UUID):
        body (CreateBroadcast):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            channel_id=channel_id,
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    channel_id: UUID,
    *,
    client: AsyncCarillon,
    body: CreateBroadcast,
) -> ChannelBroadcast:
    """Update or end the Live Activities of a channel

    The broadcast is stored and sent at once, at most one a second per channel. If Apple is not
    available, it is sent later. A newer broadcast replaces one that waits.

    Needs the permission `write`.

    Args:
        channel_id (UUID):
        body (CreateBroadcast):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            channel_id=channel_id,
            body=body,
        ),
    )
    return _parse(response)
