from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.channel_detail import ChannelDetail

OPERATION = ("GET", "/v6/channels/{channel_id}")


def _request(
    channel_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/channels/{channel_id}".format(
            channel_id=quote(str(channel_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> ChannelDetail:
    response_200 = ChannelDetail.from_dict(response.json())

    return response_200


def sync(
    channel_id: UUID,
    *,
    client: Carillon,
) -> ChannelDetail:
    """Read a channel and its newest broadcasts

    Needs the permission `read`.

    Args:
        channel_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            channel_id=channel_id,
        ),
    )
    return _parse(response)


async def asyncio(
    channel_id: UUID,
    *,
    client: AsyncCarillon,
) -> ChannelDetail:
    """Read a channel and its newest broadcasts

    Needs the permission `read`.

    Args:
        channel_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            channel_id=channel_id,
        ),
    )
    return _parse(response)
