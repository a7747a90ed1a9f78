from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.channel import Channel

OPERATION = ("DELETE", "/v6/channels/{channel_id}")


def _request(
    channel_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/channels/{channel_id}".format(
            channel_id=quote(str(channel_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> Channel:
    response_202 = Channel.from_dict(response.json())

    return response_202


def sync(
    channel_id: UUID,
    *,
    client: Carillon,
) -> Channel:
    """Delete a channel

    At Apple and here, with broadcasts that wait. Its key can be used again.

    Needs the permission `admin`.

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
) -> Channel:
    """Delete a channel

    At Apple and here, with broadcasts that wait. Its key can be used again.

    Needs the permission `admin`.

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
