from typing import Any

import httpx

from ...async_client import AsyncCarillon
from ...client import Carillon
from ...models.batch_item import BatchItem
from ...models.refused_batch_entry import RefusedBatchEntry
from ...models.stored_batch_entry import StoredBatchEntry

OPERATION = ("POST", "/v6/notifications/batch")


def _request(
    *,
    body: list[BatchItem],
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "url": "/v6/notifications/batch",
    }

    _kwargs["json"] = []
    for componentsschemas_create_notifications_item_data in body:
        componentsschemas_create_notifications_item = (
            componentsschemas_create_notifications_item_data.to_dict()
        )
        _kwargs["json"].append(componentsschemas_create_notifications_item)

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse(response: httpx.Response) -> list[RefusedBatchEntry | StoredBatchEntry]:
    response_200 = []
    _response_200 = response.json()
    for componentsschemas_created_notifications_item_data in _response_200:

        def _parse_componentsschemas_created_notifications_item(
            data: object,
        ) -> RefusedBatchEntry | StoredBatchEntry:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_batch_entry_type_0 = StoredBatchEntry.from_dict(data)

                return componentsschemas_batch_entry_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            componentsschemas_batch_entry_type_1 = RefusedBatchEntry.from_dict(data)

            return componentsschemas_batch_entry_type_1

        componentsschemas_created_notifications_item = (
            _parse_componentsschemas_created_notifications_item(
                componentsschemas_created_notifications_item_data
            )
        )

        response_200.append(componentsschemas_created_notifications_item)

    return response_200


def sync(
    *,
    client: Carillon,
    body: list[BatchItem],
) -> list[RefusedBatchEntry | StoredBatchEntry]:
    """Send up to 1,000 notifications

    Each notification has its own target and payload, and its own `idempotency_key` instead of the
    header. The reply has an entry for each, in the same order and the same form: a JSON array or
    NDJSON. A notification that is refused does not affect the others, and the status of the call is 200
    all the same.

    Needs the permission `write`.

    Args:
        body (list[BatchItem]):

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
    body: list[BatchItem],
) -> list[RefusedBatchEntry | StoredBatchEntry]:
    """Send up to 1,000 notifications

    Each notification has its own target and payload, and its own `idempotency_key` instead of the
    header. The reply has an entry for each, in the same order and the same form: a JSON array or
    NDJSON. A notification that is refused does not affect the others, and the status of the call is 200
    all the same.

    Needs the permission `write`.

    Args:
        body (list[BatchItem]):

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
