from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.audience_uses import AudienceUses

OPERATION = ("GET", "/v6/audiences/{audience_id}/uses")


def _request(
    audience_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences/{audience_id}/uses".format(
            audience_id=quote(str(audience_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> AudienceUses:
    response_200 = AudienceUses.from_dict(response.json())

    return response_200


def sync(
    audience_id: UUID,
    *,
    client: Carillon,
) -> AudienceUses:
    """List the notifications that use an audience

    Those that are scheduled or being sent: while there are any, the audience cannot be deleted.

    Needs the permission `read`.

    Args:
        audience_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            audience_id=audience_id,
        ),
    )
    return _parse(response)


async def asyncio(
    audience_id: UUID,
    *,
    client: AsyncCarillon,
) -> AudienceUses:
    """List the notifications that use an audience

    Those that are scheduled or being sent: while there are any, the audience cannot be deleted.

    Needs the permission `read`.

    Args:
        audience_id (UUID):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            audience_id=audience_id,
        ),
    )
    return _parse(response)
