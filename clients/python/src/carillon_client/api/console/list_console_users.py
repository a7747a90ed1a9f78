from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.console_user_list import ConsoleUserList

OPERATION = ("GET", "/v6/console-users")


def _request() -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/console-users",
    }

    return _kwargs


def _parse(response: httpx.Response) -> ConsoleUserList:
    response_200 = ConsoleUserList.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
) -> ConsoleUserList:
    """List the users of the console

    All users with a role in the app, by name.

    Needs the permission `admin`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(OPERATION, _request())
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
) -> ConsoleUserList:
    """List the users of the console

    All users with a role in the app, by name.

    Needs the permission `admin`.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(OPERATION, _request())
    return _parse(response)
