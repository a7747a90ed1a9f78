from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.notification_progress_state import (
    NotificationProgressState,
    check_notification_progress_state,
)

if TYPE_CHECKING:
    from ..models.notification_progress_limit_type_0 import (
        NotificationProgressLimitType0,
    )


T = TypeVar("T", bound="NotificationProgress")


@_attrs_define
class NotificationProgress:
    """
    Attributes:
        state (NotificationProgressState):
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
        at (datetime.datetime): When the counters were read.
        per_second (int | None): Outcomes per second, over the last 5 seconds, or longer where they are saved less
            often; null while it is not known.
        estimated_seconds_left (int | None): At this rate, or at the average one before it is known; null while nothing
            moves or `per_second` is 0.
        limit (None | NotificationProgressLimitType0): What limits the speed; null once it has ended.
    """

    state: NotificationProgressState
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
    at: datetime.datetime
    per_second: int | None
    estimated_seconds_left: int | None
    limit: None | NotificationProgressLimitType0

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_progress_limit_type_0 import (
            NotificationProgressLimitType0,
        )

        state: str = self.state

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

        at = self.at.isoformat()

        per_second: int | None
        per_second = self.per_second

        estimated_seconds_left: int | None
        estimated_seconds_left = self.estimated_seconds_left

        limit: dict[str, Any] | None
        if isinstance(self.limit, NotificationProgressLimitType0):
            limit = self.limit.to_dict()
        else:
            limit = self.limit

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "state": state,
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
                "at": at,
                "per_second": per_second,
                "estimated_seconds_left": estimated_seconds_left,
                "limit": limit,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_progress_limit_type_0 import (
            NotificationProgressLimitType0,
        )

        d = dict(src_dict)
        state = check_notification_progress_state(d.pop("state"))

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

        at = datetime.datetime.fromisoformat(d.pop("at"))

        def _parse_per_second(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        per_second = _parse_per_second(d.pop("per_second"))

        def _parse_estimated_seconds_left(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        estimated_seconds_left = _parse_estimated_seconds_left(
            d.pop("estimated_seconds_left")
        )

        def _parse_limit(data: object) -> None | NotificationProgressLimitType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                limit_type_0 = NotificationProgressLimitType0.from_dict(data)

                return limit_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationProgressLimitType0, data)

        limit = _parse_limit(d.pop("limit"))

        notification_progress = cls(
            state=state,
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
            at=at,
            per_second=per_second,
            estimated_seconds_left=estimated_seconds_left,
            limit=limit,
        )

        return notification_progress
