from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.invite_console_user import InviteConsoleUser
from ...models.invited_console_user import InvitedConsoleUser

OPERATION = ("POST", "/v6/console-users")


def _request(
    *,
    body: InviteConsoleUser,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/console-users",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> InvitedConsoleUser:
    response_201 = InvitedConsoleUser.from_dict(response.json())

    return response_201


def sync(
    *,
    client: Carillon,
    body: InviteConsoleUser,
) -> InvitedConsoleUser:
    """Give someone a role in the app

    A new user gets a link that works once, within three days, to choose a password. A role cannot
    include a permission that the caller lacks.

    Needs the permission `admin`.

    Args:
        body (InviteConsoleUser):

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
    body: InviteConsoleUser,
) -> InvitedConsoleUser:
    """Give someone a role in the app

    A new user gets a link that works once, within three days, to choose a password. A role cannot
    include a permission that the caller lacks.

    Needs the permission `admin`.

    Args:
        body (InviteConsoleUser):

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
