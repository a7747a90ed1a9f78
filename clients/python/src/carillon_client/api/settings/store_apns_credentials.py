from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.apns_credentials import ApnsCredentials
from ...models.stored_credentials import StoredCredentials

OPERATION = ("PUT", "/v6/credentials/apns")


def _request(
    *,
    body: ApnsCredentials,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/credentials/apns",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> StoredCredentials:
    response_200 = StoredCredentials.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: ApnsCredentials,
) -> StoredCredentials:
    """Store an Apple key, once Apple accepts it

    Servers use it without a restart. A test push to no device asks Apple whether it accepts the key.

    Needs the permission `admin`.

    Args:
        body (ApnsCredentials):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    body: ApnsCredentials,
) -> StoredCredentials:
    """Store an Apple key, once Apple accepts it

    Servers use it without a restart. A test push to no device asks Apple whether it accepts the key.

    Needs the permission `admin`.

    Args:
        body (ApnsCredentials):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            body=body,
        ),
    )
    return _parse(response)
