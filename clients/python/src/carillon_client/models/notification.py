from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.notification_state import NotificationState, check_notification_state
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.notification_made_by_type_0 import NotificationMadeByType0
    from ..models.notification_notification import NotificationNotification
    from ..models.notification_to import NotificationTo
    from ..models.notification_waves_item import NotificationWavesItem


T = TypeVar("T", bound="Notification")


@_attrs_define
class Notification:
    """
    Attributes:
        created_at (datetime.datetime):
        state (NotificationState):
        id (UUID):
        to (NotificationTo):
        notification (NotificationNotification): The same JSON as submitted; numbers keep every digit.
        made_by (None | NotificationMadeByType0): Who made it; null if it is not known: a user who was removed, or a
            notification of an earlier release.
        reason (None | str): The reason why it failed, or why part of it was not sent; null otherwise.
        due_at (datetime.datetime): The time at which sending begins: `deliver_at`, or the time of creation.
        started_at (datetime.datetime | None): The time at which sending began.
        ended_at (datetime.datetime | None): The time at which it reached its final state.
        devices (int): The number of devices that matched when it was planned: the sum of the counters from `accepted`
            to `pending`. It grows if more begin to match.
        accepted (int): A gateway accepted the push.
        rejected (int): The gateway refused the push for good, its time to live ended, or it was not sent (no
            credentials, too many devices).
        unregistered (int): A gateway reported the push token dead. It is retired, unless the route may be set up
            wrongly.
        no_token (int): The device has no push token.
        ambiguous (int): The push was written to the gateway but never answered. It may have arrived.
        dropped (int): Nothing was sent, because the rules of the notification leave the device out, such as
            `"no_time_zone": "skip"` or `"on_missing": "skip"`, or a newer update of the Live Activity is sent instead.
        expired (int): Nothing was sent: the device would have been held for longer than the time to live.
        capped (int): Nothing was sent: the device or its user has had enough of the `group` (frequency cap). Of a dry
            run: it would be left out now.
        left_out (int): The device was in the audience when the notification was planned, and no longer when its turn
            came: nothing was sent to it. 0 until the end; meanwhile such devices are pending.
        pending (int): The device has no outcome yet. After a cancellation: nothing was sent to it, and nothing will be.
        held (int): How many of the pending devices wait for their moment (`waves`).
        estimated_seconds_left (int | None): Seconds until every device has its outcome, at the average rate since
            `started_at`. Null while it is not sending, and before the first outcomes are recorded.
        waves (list[NotificationWavesItem] | Unset): Its devices by the moment at which they are due. Only in the reply
            to reading one notification, and only if it has been planned and its devices are due at different moments
            (`deliver_at_local`, `spread_over`).
    """

    created_at: datetime.datetime
    state: NotificationState
    id: UUID
    to: NotificationTo
    notification: NotificationNotification
    made_by: None | NotificationMadeByType0
    reason: None | str
    due_at: datetime.datetime
    started_at: datetime.datetime | None
    ended_at: datetime.datetime | None
    devices: int
    accepted: int
    rejected: int
    unregistered: int
    no_token: int
    ambiguous: int
    dropped: int
    expired: int
    capped: int
    left_out: int
    pending: int
    held: int
    estimated_seconds_left: int | None
    waves: list[NotificationWavesItem] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_made_by_type_0 import NotificationMadeByType0

        created_at = self.created_at.isoformat()

        state: str = self.state

        id = str(self.id)

        to = self.to.to_dict()

        notification = self.notification.to_dict()

        made_by: dict[str, Any] | None
        if isinstance(self.made_by, NotificationMadeByType0):
            made_by = self.made_by.to_dict()
        else:
            made_by = self.made_by

        reason: None | str
        reason = self.reason

        due_at = self.due_at.isoformat()

        started_at: None | str
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        devices = self.devices

        accepted = self.accepted

        rejected = self.rejected

        unregistered = self.unregistered

        no_token = self.no_token

        ambiguous = self.ambiguous

        dropped = self.dropped

        expired = self.expired

        capped = self.capped

        left_out = self.left_out

        pending = self.pending

        held = self.held

        estimated_seconds_left: int | None
        estimated_seconds_left = self.estimated_seconds_left

        waves: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.waves, Unset):
            waves = []
            for waves_item_data in self.waves:
                waves_item = waves_item_data.to_dict()
                waves.append(waves_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "created_at": created_at,
                "state": state,
                "id": id,
                "to": to,
                "notification": notification,
                "made_by": made_by,
                "reason": reason,
                "due_at": due_at,
                "started_at": started_at,
                "ended_at": ended_at,
                "devices": devices,
                "accepted": accepted,
                "rejected": rejected,
                "unregistered": unregistered,
                "no_token": no_token,
                "ambiguous": ambiguous,
                "dropped": dropped,
                "expired": expired,
                "capped": capped,
                "left_out": left_out,
                "pending": pending,
                "held": held,
                "estimated_seconds_left": estimated_seconds_left,
            }
        )
        if waves is not UNSET:
            field_dict["waves"] = waves

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_made_by_type_0 import NotificationMadeByType0
        from ..models.notification_notification import NotificationNotification
        from ..models.notification_to import NotificationTo
        from ..models.notification_waves_item import NotificationWavesItem

        d = dict(src_dict)
        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        state = check_notification_state(d.pop("state"))

        id = UUID(d.pop("id"))

        to = NotificationTo.from_dict(d.pop("to"))

        notification = NotificationNotification.from_dict(d.pop("notification"))

        def _parse_made_by(data: object) -> None | NotificationMadeByType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                made_by_type_0 = NotificationMadeByType0.from_dict(data)

                return made_by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationMadeByType0, data)

        made_by = _parse_made_by(d.pop("made_by"))

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        due_at = datetime.datetime.fromisoformat(d.pop("due_at"))

        def _parse_started_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = datetime.datetime.fromisoformat(data)

                return started_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        started_at = _parse_started_at(d.pop("started_at"))

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

        devices = d.pop("devices")

        accepted = d.pop("accepted")

        rejected = d.pop("rejected")

        unregistered = d.pop("unregistered")

        no_token = d.pop("no_token")

        ambiguous = d.pop("ambiguous")

        dropped = d.pop("dropped")

        expired = d.pop("expired")

        capped = d.pop("capped")

        left_out = d.pop("left_out")

        pending = d.pop("pending")

        held = d.pop("held")

        def _parse_estimated_seconds_left(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        estimated_seconds_left = _parse_estimated_seconds_left(
            d.pop("estimated_seconds_left")
        )

        _waves = d.pop("waves", UNSET)
        waves: list[NotificationWavesItem] | Unset = UNSET
        if _waves is not UNSET:
            waves = []
            for waves_item_data in _waves:
                waves_item = NotificationWavesItem.from_dict(waves_item_data)

                waves.append(waves_item)

        notification = cls(
            created_at=created_at,
            state=state,
            id=id,
            to=to,
            notification=notification,
            made_by=made_by,
            reason=reason,
            due_at=due_at,
            started_at=started_at,
            ended_at=ended_at,
            devices=devices,
            accepted=accepted,
            rejected=rejected,
            unregistered=unregistered,
            no_token=no_token,
            ambiguous=ambiguous,
            dropped=dropped,
            expired=expired,
            capped=capped,
            left_out=left_out,
            pending=pending,
            held=held,
            estimated_seconds_left=estimated_seconds_left,
            waves=waves,
        )

        return notification
