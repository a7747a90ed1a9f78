from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.nothing import Nothing
from ...models.report_events import ReportEvents

OPERATION = ("POST", "/v6/devices/{device_id}/events")


def _request(
    device_id: UUID,
    *,
    body: ReportEvents,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/{device_id}/events".format(
            device_id=quote(str(device_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> Nothing:
    response_202 = Nothing.from_dict(response.json())

    return response_202


def sync(
    device_id: UUID,
    *,
    client: Carillon,
    body: ReportEvents,
) -> Nothing:
    """Report events of a device

    Needs the permission `register` or `write`.

    Args:
        device_id (UUID):
        body (ReportEvents):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            device_id=device_id,
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    device_id: UUID,
    *,
    client: AsyncCarillon,
    body: ReportEvents,
) -> Nothing:
    """Report events of a device

    Needs the permission `register` or `write`.

    Args:
        device_id (UUID):
        body (ReportEvents):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            device_id=device_id,
            body=body,
        ),
    )
    return _parse(response)
