from typing import Any
from urllib.parse import quote
from uuid import UUID

from ...async_client import AsyncCarillon
from ...client import Carillon

OPERATION = ("DELETE", "/v6/keys/{key_id}")


def _request(
    key_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/keys/{key_id}".format(
            key_id=quote(str(key_id), safe=""),
        ),
    }

    return _kwargs


def sync(
    key_id: UUID,
    *,
    client: Carillon,
) -> None:
    """Revoke an API key

    It is refused from then on, by other processes after two seconds at the latest. A second call
    changes nothing.

    Needs the permission `admin`.

    Args:
        key_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    client.send(
        OPERATION,
        _request(
            key_id=key_id,
        ),
    )


async def asyncio(
    key_id: UUID,
    *,
    client: AsyncCarillon,
) -> None:
    """Revoke an API key

    It is refused from then on, by other processes after two seconds at the latest. A second call
    changes nothing.

    Needs the permission `admin`.

    Args:
        key_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    await client.send(
        OPERATION,
        _request(
            key_id=key_id,
        ),
    )
