from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.audience_devices import AudienceDevices
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/audiences/{audience_id}/devices")


def _request(
    audience_id: UUID,
    *,
    cursor: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["cursor"] = cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences/{audience_id}/devices".format(
            audience_id=quote(str(audience_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> AudienceDevices:
    response_200 = AudienceDevices.from_dict(response.json())

    return response_200


def sync(
    audience_id: UUID,
    *,
    client: Carillon,
    cursor: str | Unset = UNSET,
) -> AudienceDevices:
    """List the devices of an audience

    100 per page, sorted by id. Continue with `meta.cursor` until `devices` is empty; a device that
    stays in the audience is neither skipped nor repeated.

    Needs the permission `read`.

    Args:
        audience_id (UUID):
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            audience_id=audience_id,
            cursor=cursor,
        ),
    )
    return _parse(response)


async def asyncio(
    audience_id: UUID,
    *,
    client: AsyncCarillon,
    cursor: str | Unset = UNSET,
) -> AudienceDevices:
    """List the devices of an audience

    100 per page, sorted by id. Continue with `meta.cursor` until `devices` is empty; a device that
    stays in the audience is neither skipped nor repeated.

    Needs the permission `read`.

    Args:
        audience_id (UUID):
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            audience_id=audience_id,
            cursor=cursor,
        ),
    )
    return _parse(response)
