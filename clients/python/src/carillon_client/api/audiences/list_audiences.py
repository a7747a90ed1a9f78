from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.audience_list import AudienceList
from ...models.list_audiences_kind import ListAudiencesKind
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/audiences")


def _request(
    *,
    per: int | Unset = 50,
    cursor: str | Unset = UNSET,
    page: int | Unset = 1,
    kind: ListAudiencesKind | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["per"] = per

    params["cursor"] = cursor

    params["page"] = page

    json_kind: str | Unset = UNSET
    if not isinstance(kind, Unset):
        json_kind = kind

    params["kind"] = json_kind

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/audiences",
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> AudienceList:
    response_200 = AudienceList.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    per: int | Unset = 50,
    cursor: str | Unset = UNSET,
    page: int | Unset = 1,
    kind: ListAudiencesKind | Unset = UNSET,
) -> AudienceList:
    """List audiences, oldest first

    Continue with `meta.cursor` until it is null.

    Needs the permission `read`.

    Args:
        per (int | Unset):  Default: 50.
        cursor (str | Unset):
        page (int | Unset):  Default: 1.
        kind (ListAudiencesKind | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            per=per,
            cursor=cursor,
            page=page,
            kind=kind,
        ),
    )
    return _parse(response)


async def asyncio(
    *,
    client: AsyncCarillon,
    per: int | Unset = 50,
    cursor: str | Unset = UNSET,
    page: int | Unset = 1,
    kind: ListAudiencesKind | Unset = UNSET,
) -> AudienceList:
    """List audiences, oldest first

    Continue with `meta.cursor` until it is null.

    Needs the permission `read`.

    Args:
        per (int | Unset):  Default: 50.
        cursor (str | Unset):
        page (int | Unset):  Default: 1.
        kind (ListAudiencesKind | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            per=per,
            cursor=cursor,
            page=page,
            kind=kind,
        ),
    )
    return _parse(response)
