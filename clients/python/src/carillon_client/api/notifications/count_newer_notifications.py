from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.count_newer_notifications_state import CountNewerNotificationsState
from ...models.newer_notifications import NewerNotifications
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/notifications/newer")


def _request(
    *,
    than: str | Unset = UNSET,
    state: CountNewerNotificationsState | Unset = UNSET,
    id: str | Unset = UNSET,
    text: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["than"] = than

    json_state: str | Unset = UNSET
    if not isinstance(state, Unset):
        json_state = state

    params["state"] = json_state

    params["id"] = id

    params["text"] = text

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/newer",
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> NewerNotifications:
    response_200 = NewerNotifications.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    than: str | Unset = UNSET,
    state: CountNewerNotificationsState | Unset = UNSET,
    id: str | Unset = UNSET,
    text: str | Unset = UNSET,
) -> NewerNotifications:
    """Count the notifications that are newer than a page

    For a list that says "3 new" and holds still. It counts at most 100, and with `state` or `text`
    among the newest 1,000.

    Needs the permission `read`.

    Args:
        than (str | Unset):
        state (CountNewerNotificationsState | Unset):
        id (str | Unset):
        text (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            than=than,
            state=state,
            id=id,
            text=text,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    than: str | Unset = UNSET,
    state: CountNewerNotificationsState | Unset = UNSET,
    id: str | Unset = UNSET,
    text: str | Unset = UNSET,
) -> NewerNotifications:
    """Count the notifications that are newer than a page

    For a list that says "3 new" and holds still. It counts at most 100, and with `state` or `text`
    among the newest 1,000.

    Needs the permission `read`.

    Args:
        than (str | Unset):
        state (CountNewerNotificationsState | Unset):
        id (str | Unset):
        text (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            than=than,
            state=state,
            id=id,
            text=text,
        ),
    )
    return _parse(response)
