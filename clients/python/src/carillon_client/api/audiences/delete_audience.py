from typing import Any
from urllib.parse import quote
from uuid import UUID

from ...async_client import AsyncCarillon
from ...client import Carillon

OPERATION = ("DELETE", "/v6/audiences/{audience_id}")


def _request(
    audience_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences/{audience_id}".format(
            audience_id=quote(str(audience_id), safe=""),
        ),
    }

    return _kwargs


def sync(
    audience_id: UUID,
    *,
    client: Carillon,
) -> None:
    """Delete an audience

    Notifications that were sent to it are kept. The same filters create a new audience with a new id.

    Needs the permission `write`.

    Args:
        audience_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    client.send(
        OPERATION,
        _request(
            audience_id=audience_id,
        ),
    )


async def asyncio(
    audience_id: UUID,
    *,
    client: AsyncCarillon,
) -> None:
    """Delete an audience

    Notifications that were sent to it are kept. The same filters create a new audience with a new id.

    Needs the permission `write`.

    Args:
        audience_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    await client.send(
        OPERATION,
        _request(
            audience_id=audience_id,
        ),
    )
