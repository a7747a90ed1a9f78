from typing import Any

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.remove_fcm_credentials_environment import (
    RemoveFcmCredentialsEnvironment,
)
from ...types import UNSET, Unset

OPERATION = ("DELETE", "/v6/credentials/fcm")


def _request(
    *,
    environment: RemoveFcmCredentialsEnvironment | Unset = "all",
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_environment: str | Unset = UNSET
    if not isinstance(environment, Unset):
        json_environment = environment

    params["environment"] = json_environment

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/credentials/fcm",
        "params": params,
    }

    return _kwargs


def sync(
    *,
    client: Carillon,
    environment: RemoveFcmCredentialsEnvironment | Unset = "all",
) -> None:
    """Remove the credentials of Google

    Nothing can be sent on its routes until new ones are stored.

    Needs the permission `admin`.

    Args:
        environment (RemoveFcmCredentialsEnvironment | Unset):  Default: 'all'.

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
    environment: RemoveFcmCredentialsEnvironment | Unset = "all",
) -> None:
    """Remove the credentials of Google

    Nothing can be sent on its routes until new ones are stored.

    Needs the permission `admin`.

    Args:
        environment (RemoveFcmCredentialsEnvironment | Unset):  Default: 'all'.

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
