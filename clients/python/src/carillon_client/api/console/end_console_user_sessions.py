from typing import Any
from urllib.parse import quote
from uuid import UUID

from ...async_client import AsyncCarillon
from ...client import Carillon

OPERATION = ("DELETE", "/v6/console-users/{console_user_id}/sessions")


def _request(
    console_user_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/console-users/{console_user_id}/sessions".format(
            console_user_id=quote(str(console_user_id), safe=""),
        ),
    }

    return _kwargs


def sync(
    console_user_id: UUID,
    *,
    client: Carillon,
) -> None:
    """Sign a user out everywhere

    They end at once, in other processes within two seconds.

    Needs the permission `admin`.

    Args:
        console_user_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    client.send(
        OPERATION,
        _request(
            console_user_id=console_user_id,
        ),
    )


async def asyncio(
    console_user_id: UUID,
    *,
    client: AsyncCarillon,
) -> None:
    """Sign a user out everywhere

    They end at once, in other processes within two seconds.

    Needs the permission `admin`.

    Args:
        console_user_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    await client.send(
        OPERATION,
        _request(
            console_user_id=console_user_id,
        ),
    )
