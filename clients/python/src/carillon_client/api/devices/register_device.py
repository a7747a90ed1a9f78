from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.register_device import RegisterDevice
from ...models.registered_device import RegisteredDevice

OPERATION = ("POST", "/v6/devices")


def _request(
    *,
    body: RegisterDevice,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> RegisteredDevice:
    response_200 = RegisteredDevice.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: RegisterDevice,
) -> RegisteredDevice:
    """Register a device

    An app may call this at every start, with an embedded key that has only `register`. Omitted
    attributes of a known device keep their values; `null` clears them. A call that changes nothing
    writes nothing, but renews `registered_at` once a day. A value that breaks a rule is left out and
    named in `ignored`, as if it had been omitted; only platform, push token, `user_id`, `development`
    and unknown names are refused.

    Needs the permission `register`.

    Args:
        body (RegisterDevice):

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
    body: RegisterDevice,
) -> RegisteredDevice:
    """Register a device

    An app may call this at every start, with an embedded key that has only `register`. Omitted
    attributes of a known device keep their values; `null` clears them. A call that changes nothing
    writes nothing, but renews `registered_at` once a day. A value that breaks a rule is left out and
    named in `ignored`, as if it had been omitted; only platform, push token, `user_id`, `development`
    and unknown names are refused.

    Needs the permission `register`.

    Args:
        body (RegisterDevice):

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
