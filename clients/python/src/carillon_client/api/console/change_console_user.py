from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.change_console_user import ChangeConsoleUser
from ...models.console_user import ConsoleUser

OPERATION = ("PUT", "/v6/console-users/{console_user_id}")


def _request(
    console_user_id: UUID,
    *,
    body: ChangeConsoleUser,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/console-users/{console_user_id}".format(
            console_user_id=quote(str(console_user_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> ConsoleUser:
    response_200 = ConsoleUser.from_dict(response.json())

    return response_200


def sync(
    console_user_id: UUID,
    *,
    client: Carillon,
    body: ChangeConsoleUser,
) -> ConsoleUser:
    """Change the role of a user

    The new role applies at once, in other processes within two seconds. An app keeps at least one
    admin.

    Needs the permission `admin`.

    Args:
        console_user_id (UUID):
        body (ChangeConsoleUser):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            console_user_id=console_user_id,
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    console_user_id: UUID,
    *,
    client: AsyncCarillon,
    body: ChangeConsoleUser,
) -> ConsoleUser:
    """Change the role of a user

    The new role applies at once, in other processes within two seconds. An app keeps at least one
    admin.

    Needs the permission `admin`.

    Args:
        console_user_id (UUID):
        body (ChangeConsoleUser):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            console_user_id=console_user_id,
            body=body,
        ),
    )
    return _parse(response)
