from typing import Any
from urllib.parse import quote

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.resume_route_route import ResumeRouteRoute
from ...models.resumed_route import ResumedRoute

OPERATION = ("POST", "/v6/routes/{route}/resume")


def _request(
    route: ResumeRouteRoute,
) -> dict[str, Any]:

    _kwargs: dict[str, Any] = {
        "url": "/v6/routes/{route}/resume".format(
            route=quote(str(route), safe=""),
        ),
    }

    return _kwargs


def _parse(response: httpx.Response) -> ResumedRoute:
    response_200 = ResumedRoute.from_dict(response.json())

    return response_200


def sync(
    route: ResumeRouteRoute,
    *,
    client: Carillon,
) -> ResumedRoute:
    """Resume a paused route

    Waiting pushes go on at once. For a day, push tokens that are reported dead on this route are
    retired, however many there are.

    Needs the permission `admin`.

    Args:
        route (ResumeRouteRoute):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = client.send(
        OPERATION,
        _request(
            route=route,
        ),
    )
    return _parse(response)


async def asyncio(
    route: ResumeRouteRoute,
    *,
    client: AsyncCarillon,
) -> ResumedRoute:
    """Resume a paused route

    Waiting pushes go on at once. For a day, push tokens that are reported dead on this route are
    retired, however many there are.

    Needs the permission `admin`.

    Args:
        route (ResumeRouteRoute):

    Raises:
        ApiError: The server refuses the call.
        NoReplyError: There is no reply.
    """

    response = await client.send(
        OPERATION,
        _request(
            route=route,
        ),
    )
    return _parse(response)
