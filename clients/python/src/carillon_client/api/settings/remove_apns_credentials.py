from typing import Any

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.remove_apns_credentials_environment import (
    RemoveApnsCredentialsEnvironment,
)
from ...types import UNSET, Unset

OPERATION = ("DELETE", "/v6/credentials/apns")


def _request(
    *,
    environment: RemoveApnsCredentialsEnvironment | Unset = "all",
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_environment: str | Unset = UNSET
    if not isinstance(environment, Unset):
        json_environment = environment

    params["environment"] = json_environment

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/credentials/apns",
        "params": params,
    }

    return _kwargs


def sync(
    *,
    client: Carillon,
    environment: RemoveApnsCredentialsEnvironment | Unset = "all",
) -> None:
    """Remove an Apple key

    Nothing can be sent on its routes until new ones are stored.

    Needs the permission `admin`.

    Args:
        environment (RemoveApnsCredentialsEnvironment | Unset):  Default: 'all'.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    client.send(
        OPERATION,
        _request(
            environment=environment,
        ),
    )


async def asyncio(
    *,
    client: AsyncCarillon,
    environment: RemoveApnsCredentialsEnvironment | Unset = "all",
) -> None:
    """Remove an Apple key

    Nothing can be sent on its routes until new ones are stored.

    Needs the permission `admin`.

    Args:
        environment (RemoveApnsCredentialsEnvironment | Unset):  Default: 'all'.

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    await client.send(
        OPERATION,
        _request(
            environment=environment,
        ),
    )
