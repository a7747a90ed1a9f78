from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.console_session_list import ConsoleSessionList

OPERATION = ("GET", "/v6/console-users/{console_user_id}/sessions")


def _request(
    console_user_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/console-users/{console_user_id}/sessions".format(
            console_user_id=quote(str(console_user_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> ConsoleSessionList:
    response_200 = ConsoleSessionList.from_dict(response.json())

    return response_200


def sync(
    console_user_id: UUID,
    *,
    client: Carillon,
) -> ConsoleSessionList:
    """List the browsers in which a user is signed in

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
) -> ConsoleSessionList:
    """List the browsers in which a user is signed in

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
