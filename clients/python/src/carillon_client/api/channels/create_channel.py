from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.channel import Channel
from ...models.create_channel import CreateChannel

OPERATION = ("POST", "/v6/channels")


def _request(
    *,
    body: CreateChannel,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/channels",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> Channel:
    response_200 = Channel.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: CreateChannel,
) -> Channel:
    """Create a broadcast channel at Apple

    For Live Activities that many devices show (iOS 18). `key` is your own name for it: if the app has a
    channel with this key in the environment, it is returned. The app on the device subscribes with
    `apns_channel_id`.

    Needs the permission `admin`.

    Args:
        body (CreateChannel):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    body: CreateChannel,
) -> Channel:
    """Create a broadcast channel at Apple

    For Live Activities that many devices show (iOS 18). `key` is your own name for it: if the app has a
    channel with this key in the environment, it is returned. The app on the device subscribes with
    `apns_channel_id`.

    Needs the permission `admin`.

    Args:
        body (CreateChannel):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            body=body,
        ),
    )
    return _parse(response)
