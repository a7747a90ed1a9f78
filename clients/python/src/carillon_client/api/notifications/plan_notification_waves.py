from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.create_notification import CreateNotification
from ...models.planned_waves import PlannedWaves

OPERATION = ("POST", "/v6/notifications/waves")


def _request(
    *,
    body: CreateNotification,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/waves",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> PlannedWaves:
    response_200 = PlannedWaves.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: CreateNotification,
) -> PlannedWaves:
    """Preview the waves of a notification: when it would be sent to how many devices

    Takes the body of a create request, counts its devices by the moment at which each would be due
    (`deliver_at_local`, `quiet_hours`), and stores nothing. A notification without such a key has one
    wave.

    Needs the permission `read`.

    Args:
        body (CreateNotification):

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
    body: CreateNotification,
) -> PlannedWaves:
    """Preview the waves of a notification: when it would be sent to how many devices

    Takes the body of a create request, counts its devices by the moment at which each would be due
    (`deliver_at_local`, `quiet_hours`), and stores nothing. A notification without such a key has one
    wave.

    Needs the permission `read`.

    Args:
        body (CreateNotification):

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
