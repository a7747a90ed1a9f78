from typing import Any
from urllib.parse import quote
from uuid import UUID

from ...async_client import AsyncCarillon
from ...client import Carillon

OPERATION = ("DELETE", "/v6/webhooks/{webhook_id}")


def _request(
    webhook_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/webhooks/{webhook_id}".format(
            webhook_id=quote(str(webhook_id), safe=""),
        ),
    }

    return _kwargs


def sync(
    webhook_id: UUID,
    *,
    client: Carillon,
) -> None:
    """Remove a webhook

    Its events are removed as well, even those not sent yet.

    Needs the permission `write`.

    Args:
        webhook_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    client.send(
        OPERATION,
        _request(
            webhook_id=webhook_id,
        ),
    )


async def asyncio(
    webhook_id: UUID,
    *,
    client: AsyncCarillon,
) -> None:
    """Remove a webhook

    Its events are removed as well, even those not sent yet.

    Needs the permission `write`.

    Args:
        webhook_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    await client.send(
        OPERATION,
        _request(
            webhook_id=webhook_id,
        ),
    )
