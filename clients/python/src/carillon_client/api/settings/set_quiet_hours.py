from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.quiet_hours import QuietHours
from ...models.set_quiet_hours import SetQuietHours

OPERATION = ("PUT", "/v6/app/quiet-hours")


def _request(
    *,
    body: SetQuietHours,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/app/quiet-hours",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> QuietHours:
    response_200 = QuietHours.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: SetQuietHours,
) -> QuietHours:
    """Set the quiet hours of the app, or remove them

    Notifications that are created from then on have them, unless they have `quiet_hours` of their own;
    other processes know them within two seconds. Notifications that exist already keep theirs.

    Needs the permission `admin`.

    Args:
        body (SetQuietHours):

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
    body: SetQuietHours,
) -> QuietHours:
    """Set the quiet hours of the app, or remove them

    Notifications that are created from then on have them, unless they have `quiet_hours` of their own;
    other processes know them within two seconds. Notifications that exist already keep theirs.

    Needs the permission `admin`.

    Args:
        body (SetQuietHours):

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
