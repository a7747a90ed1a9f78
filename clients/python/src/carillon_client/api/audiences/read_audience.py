from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.audience import Audience

OPERATION = ("GET", "/v6/audiences/{audience_id}")


def _request(
    audience_id: UUID,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences/{audience_id}".format(
            audience_id=quote(str(audience_id), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> Audience:
    response_200 = Audience.from_dict(response.json())

    return response_200


def sync(
    audience_id: UUID,
    *,
    client: Carillon,
) -> Audience:
    """Read an audience with its device count

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
) -> Audience:
    """Read an audience with its device count

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
