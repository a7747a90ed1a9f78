from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.delivery_list import DeliveryList
from ...models.search_deliveries_outcome import (
    SearchDeliveriesOutcome,
)
from ...models.search_deliveries_platform import SearchDeliveriesPlatform
from ...types import UNSET, Unset

OPERATION = ("GET", "/v6/notifications/{notification_id}/deliveries")


def _request(
    notification_id: UUID,
    *,
    outcome: SearchDeliveriesOutcome | Unset = UNSET,
    reason: str | Unset = UNSET,
    variant: str | Unset = UNSET,
    platform: SearchDeliveriesPlatform | Unset = UNSET,
    app_version: str | Unset = UNSET,
    per: int | Unset = 100,
    cursor: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    json_outcome: str | Unset = UNSET
    if not isinstance(outcome, Unset):
        json_outcome = outcome

    params["outcome"] = json_outcome

    params["reason"] = reason

    params["variant"] = variant

    json_platform: str | Unset = UNSET
    if not isinstance(platform, Unset):
        json_platform = platform

    params["platform"] = json_platform

    params["app_version"] = app_version

    params["per"] = per

    params["cursor"] = cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/{notification_id}/deliveries".format(
            notification_id=quote(str(notification_id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse(response: httpx.Response) -> DeliveryList:
    response_200 = DeliveryList.from_dict(response.json())

    return response_200


def sync(
    notification_id: UUID,
    *,
    client: Carillon,
    outcome: SearchDeliveriesOutcome | Unset = UNSET,
    reason: str | Unset = UNSET,
    variant: str | Unset = UNSET,
    platform: SearchDeliveriesPlatform | Unset = UNSET,
    app_version: str | Unset = UNSET,
    per: int | Unset = 100,
    cursor: str | Unset = UNSET,
) -> DeliveryList:
    """Find the devices of a notification by their outcome

    Sorted by device id, within each wave if it has waves. Continue with `meta.cursor` until it is null:
    a page may be short or empty before that, because a call reads a limited number of outcomes. Devices
    without an outcome yet are not in it.

    Needs the permission `read`.

    Args:
        notification_id (UUID):
        outcome (SearchDeliveriesOutcome | Unset):
        reason (str | Unset):
        variant (str | Unset):
        platform (SearchDeliveriesPlatform | Unset):
        app_version (str | Unset):
        per (int | Unset):  Default: 100.
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            notification_id=notification_id,
            outcome=outcome,
            reason=reason,
            variant=variant,
            platform=platform,
            app_version=app_version,
            per=per,
            cursor=cursor,
        ),
    )
    return _parse(response)


async def asyncio(
    notification_id: UUID,
    *,
    client: AsyncCarillon,
    outcome: SearchDeliveriesOutcome | Unset = UNSET,
    reason: str | Unset = UNSET,
    variant: str | Unset = UNSET,
    platform: SearchDeliveriesPlatform | Unset = UNSET,
    app_version: str | Unset = UNSET,
    per: int | Unset = 100,
    cursor: str | Unset = UNSET,
) -> DeliveryList:
    """Find the devices of a notification by their outcome

    Sorted by device id, within each wave if it has waves. Continue with `meta.cursor` until it is null:
    a page may be short or empty before that, because a call reads a limited number of outcomes. Devices
    without an outcome yet are not in it.

    Needs the permission `read`.

    Args:
        notification_id (UUID):
        outcome (SearchDeliveriesOutcome | Unset):
        reason (str | Unset):
        variant (str | Unset):
        platform (SearchDeliveriesPlatform | Unset):
        app_version (str | Unset):
        per (int | Unset):  Default: 100.
        cursor (str | Unset):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            notification_id=notification_id,
            outcome=outcome,
            reason=reason,
            variant=variant,
            platform=platform,
            app_version=app_version,
            per=per,
            cursor=cursor,
        ),
    )
    return _parse(response)
