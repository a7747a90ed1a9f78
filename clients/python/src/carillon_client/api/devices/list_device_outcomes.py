from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.device_outcomes import DeviceOutcomes
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/devices/{device_id}/outcomes")


def _request(
    device_id: UUID,
    *,
    cursor: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["cursor"] = cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/{device_id}/outcomes".format(
            device_id=quote(str(device_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> DeviceOutcomes:
    response_200 = DeviceOutcomes.from_dict(response.json())

    return response_200


def sync(
    device_id: UUID,
    *,
    client: Carillon,
    cursor: str | Unset = UNSET,
) -> DeviceOutcomes:
    """List the last outcomes of a device, newest notification first

    Outcomes are not stored by device, so a call searches a limited number of notifications;
    `meta.searched` says how many. Continue with `meta.cursor` until it is null.

    Needs the permission `read`.

    Args:
        device_id (UUID):
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            device_id=device_id,
            cursor=cursor,
        ),
    )
    return _parse(response)


async def asyncio(
    device_id: UUID,
    *,
    client: AsyncCarillon,
    cursor: str | Unset = UNSET,
) -> DeviceOutcomes:
    """List the last outcomes of a device, newest notification first

    Outcomes are not stored by device, so a call searches a limited number of notifications;
    `meta.searched` says how many. Continue with `meta.cursor` until it is null.

    Needs the permission `read`.

    Args:
        device_id (UUID):
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            device_id=device_id,
            cursor=cursor,
        ),
    )
    return _parse(response)
