from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.channel_comparison import ChannelComparison
from ...models.compare_channels_environment import CompareChannelsEnvironment
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/channels/compare")


def _request(
    *,
    environment: CompareChannelsEnvironment | Unset = "production",
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_environment: str | Unset = UNSET
    if not isinstance(environment, Unset):
        json_environment = environment

    params["environment"] = json_environment

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/channels/compare",
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> ChannelComparison:
    response_200 = ChannelComparison.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    environment: CompareChannelsEnvironment | Unset = "production",
) -> ChannelComparison:
    """Compare the channels with Apple’s list

    Asks Apple now. Channels that are missing or unknown stay as they are.

    Needs the permission `read`.

    Args:
        environment (CompareChannelsEnvironment | Unset):  Default: 'production'.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            environment=environment,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    environment: CompareChannelsEnvironment | Unset = "production",
) -> ChannelComparison:
    """Compare the channels with Apple’s list

    Asks Apple now. Channels that are missing or unknown stay as they are.

    Needs the permission `read`.

    Args:
        environment (CompareChannelsEnvironment | Unset):  Default: 'production'.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            environment=environment,
        ),
    )
    return _parse(response)
