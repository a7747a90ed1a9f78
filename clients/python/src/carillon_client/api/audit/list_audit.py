from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.audit_list import AuditList
from ...models.list_audit_action import ListAuditAction
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/audit")


def _request(
    *,
    by: str | Unset = UNSET,
    action: ListAuditAction | Unset = UNSET,
    object_: str | Unset = UNSET,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    per: int | Unset = 50,
    cursor: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["by"] = by

    json_action: str | Unset = UNSET
    if not isinstance(action, Unset):
        json_action = action

    params["action"] = json_action

    params["object"] = object_

    params["from"] = from_

    params["to"] = to

    params["per"] = per

    params["cursor"] = cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/audit",
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> AuditList:
    response_200 = AuditList.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    by: str | Unset = UNSET,
    action: ListAuditAction | Unset = UNSET,
    object_: str | Unset = UNSET,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    per: int | Unset = 50,
    cursor: str | Unset = UNSET,
) -> AuditList:
    """List the changes of the app, newest first

    Every change by a user of the console and by the command line; by API keys the rare changes: keys,
    credentials, webhooks, deleted audiences, cancels, erased and imported devices. Entries are never
    changed or removed.

    Needs the permission `admin`.

    Args:
        by (str | Unset):
        action (ListAuditAction | Unset):
        object_ (str | Unset):
        from_ (str | Unset):
        to (str | Unset):
        per (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            by=by,
            action=action,
            object_=object_,
            from_=from_,
            to=to,
            per=per,
            cursor=cursor,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    by: str | Unset = UNSET,
    action: ListAuditAction | Unset = UNSET,
    object_: str | Unset = UNSET,
    from_: str | Unset = UNSET,
    to: str | Unset = UNSET,
    per: int | Unset = 50,
    cursor: str | Unset = UNSET,
) -> AuditList:
    """List the changes of the app, newest first

    Every change by a user of the console and by the command line; by API keys the rare changes: keys,
    credentials, webhooks, deleted audiences, cancels, erased and imported devices. Entries are never
    changed or removed.

    Needs the permission `admin`.

    Args:
        by (str | Unset):
        action (ListAuditAction | Unset):
        object_ (str | Unset):
        from_ (str | Unset):
        to (str | Unset):
        per (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            by=by,
            action=action,
            object_=object_,
            from_=from_,
            to=to,
            per=per,
            cursor=cursor,
        ),
    )
    return _parse(response)
