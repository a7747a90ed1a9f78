from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.delivery_outcome import DeliveryOutcome, check_delivery_outcome

T = TypeVar("T", bound="Delivery")


@_attrs_define
class Delivery:
    """
    Attributes:
        notification_id (UUID):
        device_id (UUID):
        outcome (DeliveryOutcome):
        reason (None | str): The code or text with which the gateway refused the push.
        variant (None | str): The variant of the device, or `hold_out`; null without an outcome, or if the notification
            is no A/B test.
        at (datetime.datetime | None): Null until there is an outcome.
        apns_unique_id (None | UUID): Apple’s id of the push, by which Apple’s Push Notifications Console shows what
            became of it. Only for development devices (Apple’s sandbox), after `accepted`; otherwise null.
    """

    notification_id: UUID
    device_id: UUID
    outcome: DeliveryOutcome
    reason: None | str
    variant: None | str
    at: datetime.datetime | None
    apns_unique_id: None | UUID

    def to_dict(self) -> dict[str, Any]:
        notification_id = str(self.notification_id)

        device_id = str(self.device_id)

        outcome: str = self.outcome

        reason: None | str
        reason = self.reason

        variant: None | str
        variant = self.variant

        at: None | str
        if isinstance(self.at, datetime.datetime):
            at = self.at.isoformat()
        else:
            at = self.at

        apns_unique_id: None | str
        if isinstance(self.apns_unique_id, UUID):
            apns_unique_id = str(self.apns_unique_id)
        else:
            apns_unique_id = self.apns_unique_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notification_id": notification_id,
                "device_id": device_id,
                "outcome": outcome,
                "reason": reason,
                "variant": variant,
                "at": at,
                "apns_unique_id": apns_unique_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        notification_id = UUID(d.pop("notification_id"))

        device_id = UUID(d.pop("device_id"))

        outcome = check_delivery_outcome(d.pop("outcome"))

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        def _parse_variant(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        variant = _parse_variant(d.pop("variant"))

        def _parse_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                at_type_0 = datetime.datetime.fromisoformat(data)

                return at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        at = _parse_at(d.pop("at"))

        def _parse_apns_unique_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                apns_unique_id_type_0 = UUID(data)

                return apns_unique_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        apns_unique_id = _parse_apns_unique_id(d.pop("apns_unique_id"))

        delivery = cls(
            notification_id=notification_id,
            device_id=device_id,
            outcome=outcome,
            reason=reason,
            variant=variant,
            at=at,
            apns_unique_id=apns_unique_id,
        )

        return delivery
