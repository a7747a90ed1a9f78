from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.audience_locales import AudienceLocales
from ...models.count_notification_locales import CountNotificationLocales

OPERATION = ("POST", "/v6/notifications/locales")


def _request(
    *,
    body: CountNotificationLocales,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/locales",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> AudienceLocales:
    response_200 = AudienceLocales.from_dict(response.json())

    return response_200


def sync(
    *,
    client: Carillon,
    body: CountNotificationLocales,
) -> AudienceLocales:
    """Count the devices that a notification would go to by their locale

    Says which of the given translations each locale gets. Of an audience of more than 10,000 devices, a
    random sample is counted. Stores nothing.

    Needs the permission `read`.

    Args:
        body (CountNotificationLocales):

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
    body: CountNotificationLocales,
) -> AudienceLocales:
    """Count the devices that a notification would go to by their locale

    Says which of the given translations each locale gets. Of an audience of more than 10,000 devices, a
    random sample is counted. Stores nothing.

    Needs the permission `read`.

    Args:
        body (CountNotificationLocales):

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
