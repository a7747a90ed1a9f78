from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.device_outcome_outcome import (
    DeviceOutcomeOutcome,
    check_device_outcome_outcome,
)

T = TypeVar("T", bound="DeviceOutcome")


@_attrs_define
class DeviceOutcome:
    """
    Attributes:
        notification_id (UUID):
        created_at (datetime.datetime): When the notification was created.
        title (None | str):
        alert (None | str): Its text; null if it shows none.
        outcome (DeviceOutcomeOutcome):
        reason (None | str): The code or text with which the gateway refused the push.
        variant (None | str): The variant of the device, or `hold_out`; null if the notification is no A/B test.
        explanation (str): One or two sentences for people: what the outcome means, and what to do.
        at (datetime.datetime):
        opened_at (datetime.datetime | None): When the device reported that it was opened.
    """

    notification_id: UUID
    created_at: datetime.datetime
    title: None | str
    alert: None | str
    outcome: DeviceOutcomeOutcome
    reason: None | str
    variant: None | str
    explanation: str
    at: datetime.datetime
    opened_at: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        notification_id = str(self.notification_id)

        created_at = self.created_at.isoformat()

        title: None | str
        title = self.title

        alert: None | str
        alert = self.alert

        outcome: str = self.outcome

        reason: None | str
        reason = self.reason

        variant: None | str
        variant = self.variant

        explanation = self.explanation

        at = self.at.isoformat()

        opened_at: None | str
        if isinstance(self.opened_at, datetime.datetime):
            opened_at = self.opened_at.isoformat()
        else:
            opened_at = self.opened_at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notification_id": notification_id,
                "created_at": created_at,
                "title": title,
                "alert": alert,
                "outcome": outcome,
                "reason": reason,
                "variant": variant,
                "explanation": explanation,
                "at": at,
                "opened_at": opened_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        notification_id = UUID(d.pop("notification_id"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_title(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        title = _parse_title(d.pop("title"))

        def _parse_alert(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        alert = _parse_alert(d.pop("alert"))

        outcome = check_device_outcome_outcome(d.pop("outcome"))

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

        explanation = d.pop("explanation")

        at = datetime.datetime.fromisoformat(d.pop("at"))

        def _parse_opened_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                opened_at_type_0 = datetime.datetime.fromisoformat(data)

                return opened_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        opened_at = _parse_opened_at(d.pop("opened_at"))

        device_outcome = cls(
            notification_id=notification_id,
            created_at=created_at,
            title=title,
            alert=alert,
            outcome=outcome,
            reason=reason,
            variant=variant,
            explanation=explanation,
            at=at,
            opened_at=opened_at,
        )

        return device_outcome
