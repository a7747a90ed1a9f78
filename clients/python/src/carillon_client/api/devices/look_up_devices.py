from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.found_devices import FoundDevices
from ...models.look_up_devices import LookUpDevices

OPERATION = ("POST", "/v6/devices/lookup")


def _request(
    *,
    body: LookUpDevices,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/devices/lookup",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> FoundDevices:
    response_200 = FoundDevices.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: LookUpDevices,
) -> FoundDevices:
    """Look devices up by id, push token, user or e-mail address

    The text is compared with all of them at once, and with the beginning of user ids. A POST, so that
    push tokens and personal data appear in no address and in no log. A push token that the device has
    lost finds it as well. Returns at most 50 devices, exact matches first.

    Needs the permission `read`.

    Args:
        body (LookUpDevices):

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
    body: LookUpDevices,
) -> FoundDevices:
    """Look devices up by id, push token, user or e-mail address

    The text is compared with all of them at once, and with the beginning of user ids. A POST, so that
    push tokens and personal data appear in no address and in no log. A push token that the device has
    lost finds it as well. Returns at most 50 devices, exact matches first.

    Needs the permission `read`.

    Args:
        body (LookUpDevices):

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
