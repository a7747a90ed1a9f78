from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.device_map import DeviceMap
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/devices/map")


def _request(
    *,
    south: float | Unset = UNSET,
    west: float | Unset = UNSET,
    north: float | Unset = UNSET,
    east: float | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["south"] = south

    params["west"] = west

    params["north"] = north

    params["east"] = east

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/map",
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> DeviceMap:
    response_200 = DeviceMap.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    south: float | Unset = UNSET,
    west: float | Unset = UNSET,
    north: float | Unset = UNSET,
    east: float | Unset = UNSET,
) -> DeviceMap:
    """Count the devices in the cells of a map

    For a map of the devices: up to 48 cells across, none smaller than about 1 km, in Mercator’s
    projection. Uses the attribute `location`. Cells with fewer than 5 devices are left out.

    Needs the permission `read`.

    Args:
        south (float | Unset):
        west (float | Unset):
        north (float | Unset):
        east (float | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            south=south,
            west=west,
            north=north,
            east=east,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    south: float | Unset = UNSET,
    west: float | Unset = UNSET,
    north: float | Unset = UNSET,
    east: float | Unset = UNSET,
) -> DeviceMap:
    """Count the devices in the cells of a map

    For a map of the devices: up to 48 cells across, none smaller than about 1 km, in Mercator’s
    projection. Uses the attribute `location`. Cells with fewer than 5 devices are left out.

    Needs the permission `read`.

    Args:
        south (float | Unset):
        west (float | Unset):
        north (float | Unset):
        east (float | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            south=south,
            west=west,
            north=north,
            east=east,
        ),
    )
    return _parse(response)
