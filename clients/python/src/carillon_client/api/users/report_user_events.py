from typing import Any
from urllib.parse import quote

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.nothing import Nothing
from ...models.report_events import ReportEvents

OPERATION = ("POST", "/v6/users/{user_id}/events")


def _request(
    user_id: str,
    *,
    body: ReportEvents,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/users/{user_id}/events".format(
            user_id=quote(str(user_id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> Nothing:
    response_202 = Nothing.from_dict(response.json())

    return response_202


def sync(
    user_id: str,
    *,
    client: Carillon,
    body: ReportEvents,
) -> Nothing:
    """Report events for every current device of a user

    Needs the permission `register` or `write`.

    Args:
        user_id (str):
        body (ReportEvents):

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
    body: ReportEvents,
) -> Nothing:
    """Report events for every current device of a user

    Needs the permission `register` or `write`.

    Args:
        user_id (str):
        body (ReportEvents):

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
