from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.receipt import Receipt
from ...models.reported_receipts import ReportedReceipts

OPERATION = ("POST", "/v6/receipts")


def _request(
    *,
    body: list[Receipt],
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/receipts",
    }

    _kwargs["json"] = []
    for componentsschemas_report_receipts_item_data in body:
        componentsschemas_report_receipts_item = (
            componentsschemas_report_receipts_item_data.to_dict()
        )
        _kwargs["json"].append(componentsschemas_report_receipts_item)

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> ReportedReceipts:
    response_202 = ReportedReceipts.from_dict(response.json())

    return response_202


def sync(
    *,
    client: Carillon,
    body: list[Receipt],
) -> ReportedReceipts:
    """Report that devices received, showed and opened notifications

    Up to 1,000 receipts, as a JSON array or NDJSON; the reply has one form for both. They are stored
    when the call is answered, and counted within seconds. A receipt that comes again counts once.
    Receipts of unknown notifications and devices, and of devices that are not asked, are accepted and
    do not count: the reply does not say which exist.

    Needs the permission `register`.

    Args:
        body (list[Receipt]):

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
    body: list[Receipt],
) -> ReportedReceipts:
    """Report that devices received, showed and opened notifications

    Up to 1,000 receipts, as a JSON array or NDJSON; the reply has one form for both. They are stored
    when the call is answered, and counted within seconds. A receipt that comes again counts once.
    Receipts of unknown notifications and devices, and of devices that are not asked, are accepted and
    do not count: the reply does not say which exist.

    Needs the permission `register`.

    Args:
        body (list[Receipt]):

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
