from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.console_invite import ConsoleInvite

OPERATION = ("POST", "/v6/console-users/{console_user_id}/invite")


def _request(
    console_user_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/console-users/{console_user_id}/invite".format(
            console_user_id=quote(str(console_user_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> ConsoleInvite:
    response_201 = ConsoleInvite.from_dict(response.json())

    return response_201


def sync(
    console_user_id: UUID,
    *,
    client: Carillon,
) -> ConsoleInvite:
    """Make another link to choose a password

    For a forgotten password or a lost link. Earlier links of the user stop working. Only for users who
    have no role in another app; for those, the operator runs `carillon console invite`.

    Needs the permission `admin`.

    Args:
        console_user_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            console_user_id=console_user_id,
        ),
    )
    return _parse(response)


async def asyncio(
    console_user_id: UUID,
    *,
    client: AsyncCarillon,
) -> ConsoleInvite:
    """Make another link to choose a password

    For a forgotten password or a lost link. Earlier links of the user stop working. Only for users who
    have no role in another app; for those, the operator runs `carillon console invite`.

    Needs the permission `admin`.

    Args:
        console_user_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            console_user_id=console_user_id,
        ),
    )
    return _parse(response)
