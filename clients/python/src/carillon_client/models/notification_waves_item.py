from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.notification_waves_item_action import (
    NotificationWavesItemAction,
    check_notification_waves_item_action,
)
from ..models.notification_waves_item_reason_type_0 import (
    NotificationWavesItemReasonType0,
    check_notification_waves_item_reason_type_0,
)
from ..models.notification_waves_item_state import (
    NotificationWavesItemState,
    check_notification_waves_item_state,
)

T = TypeVar("T", bound="NotificationWavesItem")


@_attrs_define
class NotificationWavesItem:
    """
    Attributes:
        due_at (datetime.datetime): The moment of its devices; the time to live counts from it.
        action (NotificationWavesItemAction): `send`; otherwise nothing is sent, and its devices get the outcome
            `dropped` or `expired`.
        reason (None | NotificationWavesItemReasonType0): Why nothing is sent.
        spread_seconds (float): Its devices are sent to evenly within this time.
        time_zones (list[str]): The time zones of its devices.
        devices (int):
        without_time_zone (int): How many of them have no known time zone, so that `no_time_zone` decides.
        by_own_quiet_hours (int): How many of them are in this wave because of their own quiet hours.
        state (NotificationWavesItemState): `planned`: the notification was a dry run or failed. `canceled`: it was
            canceled before the end of this wave.
    """

    due_at: datetime.datetime
    action: NotificationWavesItemAction
    reason: None | NotificationWavesItemReasonType0
    spread_seconds: float
    time_zones: list[str]
    devices: int
    without_time_zone: int
    by_own_quiet_hours: int
    state: NotificationWavesItemState

    def to_dict(self) -> dict[str, Any]:
        due_at = self.due_at.isoformat()

        action: str = self.action

        reason: None | str
        if isinstance(self.reason, str):
            reason = self.reason
        else:
            reason = self.reason

        spread_seconds = self.spread_seconds

        time_zones = self.time_zones

        devices = self.devices

        without_time_zone = self.without_time_zone

        by_own_quiet_hours = self.by_own_quiet_hours

        state: str = self.state

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "due_at": due_at,
                "action": action,
                "reason": reason,
                "spread_seconds": spread_seconds,
                "time_zones": time_zones,
                "devices": devices,
                "without_time_zone": without_time_zone,
                "by_own_quiet_hours": by_own_quiet_hours,
                "state": state,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        due_at = datetime.datetime.fromisoformat(d.pop("due_at"))

        action = check_notification_waves_item_action(d.pop("action"))

        def _parse_reason(data: object) -> None | NotificationWavesItemReasonType0:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                reason_type_0 = check_notification_waves_item_reason_type_0(data)

                return reason_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationWavesItemReasonType0, data)

        reason = _parse_reason(d.pop("reason"))

        spread_seconds = d.pop("spread_seconds")

        time_zones = cast(list[str], d.pop("time_zones"))

        devices = d.pop("devices")

        without_time_zone = d.pop("without_time_zone")

        by_own_quiet_hours = d.pop("by_own_quiet_hours")

        state = check_notification_waves_item_state(d.pop("state"))

        notification_waves_item = cls(
            due_at=due_at,
            action=action,
            reason=reason,
            spread_seconds=spread_seconds,
            time_zones=time_zones,
            devices=devices,
            without_time_zone=without_time_zone,
            by_own_quiet_hours=by_own_quiet_hours,
            state=state,
        )

        return notification_waves_item
