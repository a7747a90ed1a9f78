from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.create_notification import CreateNotification
from ...models.created_notification import CreatedNotification
from ...types import UNSET, Unset

OPERATION = ("POST", "/v5/notifications")


def _request(
    *,
    body: CreateNotification,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "url": "/v5/notifications",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> CreatedNotification:
    response_201 = CreatedNotification.from_dict(response.json())

    return response_201


def sync(
    *,
    client: Carillon,
    body: CreateNotification,
    idempotency_key: str | Unset = UNSET,
) -> CreatedNotification:
    """Send a notification (the same call as in v6)

    Replies as soon as the notification is stored; sending follows. The audience is resolved when it is
    sent. The same filters in any order are the same audience. For `device_id` and `user_id` no audience
    is stored.

    Needs the permission `write`.

    Args:
        idempotency_key (str | Unset):
        body (CreateNotification):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            body=body,
            idempotency_key=idempotency_key,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    body: CreateNotification,
    idempotency_key: str | Unset = UNSET,
) -> CreatedNotification:
    """Send a notification (the same call as in v6)

    Replies as soon as the notification is stored; sending follows. The audience is resolved when it is
    sent. The same filters in any order are the same audience. For `device_id` and `user_id` no audience
    is stored.

    Needs the permission `write`.

    Args:
        idempotency_key (str | Unset):
        body (CreateNotification):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            body=body,
            idempotency_key=idempotency_key,
        ),
    )
    return _parse(response)
