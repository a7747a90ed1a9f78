from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.overview import Overview
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/overview")


def _request(
    *,
    days: int | Unset = 30,
    time_zone: str | Unset = "UTC",
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["days"] = days

    params["time_zone"] = time_zone

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/overview",
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> Overview:
    response_200 = Overview.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    days: int | Unset = 30,
    time_zone: str | Unset = "UTC",
) -> Overview:
    """Read the numbers of the app by day, and its devices by kind

    Reads what workers have counted: hours and devices about every 15 seconds, and the devices of large
    apps less often (a count that takes a second, every hundred seconds). Each part says when it was
    counted.

    Needs the permission `read`.

    Args:
        days (int | Unset):  Default: 30.
        time_zone (str | Unset):  Default: 'UTC'.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            days=days,
            time_zone=time_zone,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    days: int | Unset = 30,
    time_zone: str | Unset = "UTC",
) -> Overview:
    """Read the numbers of the app by day, and its devices by kind

    Reads what workers have counted: hours and devices about every 15 seconds, and the devices of large
    apps less often (a count that takes a second, every hundred seconds). Each part says when it was
    counted.

    Needs the permission `read`.

    Args:
        days (int | Unset):  Default: 30.
        time_zone (str | Unset):  Default: 'UTC'.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            days=days,
            time_zone=time_zone,
        ),
    )
    return _parse(response)
