from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.webhook_delivery_list_deliveries_item_state import (
    WebhookDeliveryListDeliveriesItemState,
    check_webhook_delivery_list_deliveries_item_state,
)

T = TypeVar("T", bound="WebhookDeliveryListDeliveriesItem")


@_attrs_define
class WebhookDeliveryListDeliveriesItem:
    """
    Attributes:
        id (UUID): The same as in the header `webhook-id`, in every attempt.
        type_ (str):
        state (WebhookDeliveryListDeliveriesItemState): `failed`: no more attempts; a day after the event at the latest.
        created_at (datetime.datetime):
        attempts (int):
        last_status (int | None): The HTTP status of the last attempt; null if there was no response.
        last_error (None | str): Why there was no response, as a code such as `timeout`.
        next_attempt_at (datetime.datetime | None): Null if there are no more attempts.
        ended_at (datetime.datetime | None):
    """

    id: UUID
    type_: str
    state: WebhookDeliveryListDeliveriesItemState
    created_at: datetime.datetime
    attempts: int
    last_status: int | None
    last_error: None | str
    next_attempt_at: datetime.datetime | None
    ended_at: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        type_ = self.type_

        state: str = self.state

        created_at = self.created_at.isoformat()

        attempts = self.attempts

        last_status: int | None
        last_status = self.last_status

        last_error: None | str
        last_error = self.last_error

        next_attempt_at: None | str
        if isinstance(self.next_attempt_at, datetime.datetime):
            next_attempt_at = self.next_attempt_at.isoformat()
        else:
            next_attempt_at = self.next_attempt_at

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "type": type_,
                "state": state,
                "created_at": created_at,
                "attempts": attempts,
                "last_status": last_status,
                "last_error": last_error,
                "next_attempt_at": next_attempt_at,
                "ended_at": ended_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        type_ = d.pop("type")

        state = check_webhook_delivery_list_deliveries_item_state(d.pop("state"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        attempts = d.pop("attempts")

        def _parse_last_status(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        last_status = _parse_last_status(d.pop("last_status"))

        def _parse_last_error(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        last_error = _parse_last_error(d.pop("last_error"))

        def _parse_next_attempt_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_attempt_at_type_0 = datetime.datetime.fromisoformat(data)

                return next_attempt_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_attempt_at = _parse_next_attempt_at(d.pop("next_attempt_at"))

        def _parse_ended_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ended_at_type_0 = datetime.datetime.fromisoformat(data)

                return ended_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ended_at = _parse_ended_at(d.pop("ended_at"))

        webhook_delivery_list_deliveries_item = cls(
            id=id,
            type_=type_,
            state=state,
            created_at=created_at,
            attempts=attempts,
            last_status=last_status,
            last_error=last_error,
            next_attempt_at=next_attempt_at,
            ended_at=ended_at,
        )

        return webhook_delivery_list_deliveries_item
