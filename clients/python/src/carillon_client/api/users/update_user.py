from typing import Any
from urllib.parse import quote

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.update_user import UpdateUser
from ...models.user_devices import UserDevices

OPERATION = ("PUT", "/v6/users/{user_id}")


def _request(
    user_id: str,
    *,
    body: UpdateUser,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/users/{user_id}".format(
            user_id=quote(str(user_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> UserDevices:
    response_200 = UserDevices.from_dict(response.json())

    return response_200


def sync(
    user_id: str,
    *,
    client: Carillon,
    body: UpdateUser,
) -> UserDevices:
    """Set custom attributes on every device of a user

    Updates all devices of the user, or none. These are the devices with this `user_id`, such as
    user-17.

    Needs the permission `write`.

    Args:
        user_id (str):
        body (UpdateUser):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            user_id=user_id,
            body=body,
        ),
    )
    return _parse(response)


async def asyncio(
    user_id: str,
    *,
    client: AsyncCarillon,
    body: UpdateUser,
) -> UserDevices:
    """Set custom attributes on every device of a user

    Updates all devices of the user, or none. These are the devices with this `user_id`, such as
    user-17.

    Needs the permission `write`.

    Args:
        user_id (str):
        body (UpdateUser):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            user_id=user_id,
            body=body,
        ),
    )
    return _parse(response)
