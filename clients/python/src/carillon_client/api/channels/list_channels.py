from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.channel_list import ChannelList
from ...models.list_channels_environment import (
    ListChannelsEnvironment,
)
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/channels")


def _request(
    *,
    environment: ListChannelsEnvironment | Unset = UNSET,
    key: str | Unset = UNSET,
    per: int | Unset = 25,
    cursor: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_environment: str | Unset = UNSET
    if not isinstance(environment, Unset):
        json_environment = environment

    params["environment"] = json_environment

    params["key"] = key

    params["per"] = per

    params["cursor"] = cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/channels",
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> ChannelList:
    response_200 = ChannelList.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    environment: ListChannelsEnvironment | Unset = UNSET,
    key: str | Unset = UNSET,
    per: int | Unset = 25,
    cursor: str | Unset = UNSET,
) -> ChannelList:
    """List channels, newest first

    Needs the permission `read`.

    Args:
        environment (ListChannelsEnvironment | Unset):
        key (str | Unset):
        per (int | Unset):  Default: 25.
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            environment=environment,
            key=key,
            per=per,
            cursor=cursor,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    environment: ListChannelsEnvironment | Unset = UNSET,
    key: str | Unset = UNSET,
    per: int | Unset = 25,
    cursor: str | Unset = UNSET,
) -> ChannelList:
    """List channels, newest first

    Needs the permission `read`.

    Args:
        environment (ListChannelsEnvironment | Unset):
        key (str | Unset):
        per (int | Unset):  Default: 25.
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            environment=environment,
            key=key,
            per=per,
            cursor=cursor,
        ),
    )
    return _parse(response)
