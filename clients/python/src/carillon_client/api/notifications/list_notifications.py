from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.list_notifications_state import (
    ListNotificationsState,
)
from ...models.notification_list import NotificationList
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/notifications")


def _request(
    *,
    per: int | Unset = 25,
    cursor: str | Unset = UNSET,
    state: ListNotificationsState | Unset = UNSET,
    id: str | Unset = UNSET,
    text: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["per"] = per

    params["cursor"] = cursor

    json_state: str | Unset = UNSET
    if not isinstance(state, Unset):
        json_state = state

    params["state"] = json_state

    params["id"] = id

    params["text"] = text

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications",
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> NotificationList:
    response_200 = NotificationList.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    per: int | Unset = 25,
    cursor: str | Unset = UNSET,
    state: ListNotificationsState | Unset = UNSET,
    id: str | Unset = UNSET,
    text: str | Unset = UNSET,
) -> NotificationList:
    """List notifications, newest first

    All parameters together select. There is no index by state or by words, so such a search looks at
    10,000 notifications per page and says in `meta.searched_until` how far it got.

    Needs the permission `read`.

    Args:
        per (int | Unset):  Default: 25.
        cursor (str | Unset):
        state (ListNotificationsState | Unset):
        id (str | Unset):
        text (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            per=per,
            cursor=cursor,
            state=state,
            id=id,
            text=text,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    per: int | Unset = 25,
    cursor: str | Unset = UNSET,
    state: ListNotificationsState | Unset = UNSET,
    id: str | Unset = UNSET,
    text: str | Unset = UNSET,
) -> NotificationList:
    """List notifications, newest first

    All parameters together select. There is no index by state or by words, so such a search looks at
    10,000 notifications per page and says in `meta.searched_until` how far it got.

    Needs the permission `read`.

    Args:
        per (int | Unset):  Default: 25.
        cursor (str | Unset):
        state (ListNotificationsState | Unset):
        id (str | Unset):
        text (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            per=per,
            cursor=cursor,
            state=state,
            id=id,
            text=text,
        ),
    )
    return _parse(response)
