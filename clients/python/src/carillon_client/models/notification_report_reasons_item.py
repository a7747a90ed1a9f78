from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.notification_report_reasons_item_outcome import (
    NotificationReportReasonsItemOutcome,
    check_notification_report_reasons_item_outcome,
)

T = TypeVar("T", bound="NotificationReportReasonsItem")


@_attrs_define
class NotificationReportReasonsItem:
    """
    Attributes:
        outcome (NotificationReportReasonsItemOutcome):
        reason (None | str): The code of the gateway, or a code of ours; null if the outcome has none.
        explanation (str): One or two sentences for people: what it means, and what to do.
        devices (int):
    """

    outcome: NotificationReportReasonsItemOutcome
    reason: None | str
    explanation: str
    devices: int

    def to_dict(self) -> dict[str, Any]:
        outcome: str = self.outcome

        reason: None | str
        reason = self.reason

        explanation = self.explanation

        devices = self.devices

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "outcome": outcome,
                "reason": reason,
                "explanation": explanation,
                "devices": devices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        outcome = check_notification_report_reasons_item_outcome(d.pop("outcome"))

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        explanation = d.pop("explanation")

        devices = d.pop("devices")

        notification_report_reasons_item = cls(
            outcome=outcome,
            reason=reason,
            explanation=explanation,
            devices=devices,
        )

        return notification_report_reasons_item
