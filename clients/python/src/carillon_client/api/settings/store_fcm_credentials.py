from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.fcm_credentials import FcmCredentials
from ...models.stored_credentials import StoredCredentials

OPERATION = ("PUT", "/v6/credentials/fcm")


def _request(
    *,
    body: FcmCredentials,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/credentials/fcm",
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
    body: FcmCredentials,
) -> StoredCredentials:
    """Store a service account, or to use the identity of the processes, once Google accepts it

    Servers use it without a restart. A push that is only validated asks Google whether it accepts them.

    Needs the permission `admin`.

    Args:
        body (FcmCredentials):

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
    body: FcmCredentials,
) -> StoredCredentials:
    """Store a service account, or to use the identity of the processes, once Google accepts it

    Servers use it without a restart. A push that is only validated asks Google whether it accepts them.

    Needs the permission `admin`.

    Args:
        body (FcmCredentials):

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
