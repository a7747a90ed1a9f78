from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.create_broadcast_broadcast_event import (
    CreateBroadcastBroadcastEvent,
    check_create_broadcast_broadcast_event,
)
from ..models.create_broadcast_broadcast_priority import (
    CreateBroadcastBroadcastPriority,
    check_create_broadcast_broadcast_priority,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.create_broadcast_broadcast_alert import CreateBroadcastBroadcastAlert
    from ..models.create_broadcast_broadcast_content_state import (
        CreateBroadcastBroadcastContentState,
    )


T = TypeVar("T", bound="CreateBroadcastBroadcast")


@_attrs_define
class CreateBroadcastBroadcast:
    """
    Attributes:
        event (CreateBroadcastBroadcastEvent): After an `end`, the channel takes no more updates.
        content_state (CreateBroadcastBroadcastContentState | Unset): The new content, with the keys of `ContentState`
            in the app. Required for an `update`.
        alert (CreateBroadcastBroadcastAlert | Unset): Lights up the screen, or shows on a watch.
        stale_date (str | Unset): When the content counts as out of date.
        dismissal_date (str | Unset): When an ended activity leaves the lock screen; only with `end`. Without it, four
            hours later at most.
        relevance_score (float | Unset): Decides which of several activities of the app is shown first.
        priority (CreateBroadcastBroadcastPriority | Unset): Apple counts broadcasts of priority `high` against a
            budget. Default: 'high'.
        time_to_live (int | Unset): Seconds for which it is tried, and for which Apple keeps it where the channel stores
            the latest. Default: 28800.
        timestamp (str | Unset): The time of the content, to the second: devices ignore what is older than what they
            show, and so does this call. Without it, the time of sending.
    """

    event: CreateBroadcastBroadcastEvent
    content_state: CreateBroadcastBroadcastContentState | Unset = UNSET
    alert: CreateBroadcastBroadcastAlert | Unset = UNSET
    stale_date: str | Unset = UNSET
    dismissal_date: str | Unset = UNSET
    relevance_score: float | Unset = UNSET
    priority: CreateBroadcastBroadcastPriority | Unset = "high"
    time_to_live: int | Unset = 28800
    timestamp: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        event: str = self.event

        content_state: dict[str, Any] | Unset = UNSET
        if not isinstance(self.content_state, Unset):
            content_state = self.content_state.to_dict()

        alert: dict[str, Any] | Unset = UNSET
        if not isinstance(self.alert, Unset):
            alert = self.alert.to_dict()

        stale_date = self.stale_date

        dismissal_date = self.dismissal_date

        relevance_score = self.relevance_score

        priority: str | Unset = UNSET
        if not isinstance(self.priority, Unset):
            priority = self.priority

        time_to_live = self.time_to_live

        timestamp = self.timestamp

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "event": event,
            }
        )
        if content_state is not UNSET:
            field_dict["content_state"] = content_state
        if alert is not UNSET:
            field_dict["alert"] = alert
        if stale_date is not UNSET:
            field_dict["stale_date"] = stale_date
        if dismissal_date is not UNSET:
            field_dict["dismissal_date"] = dismissal_date
        if relevance_score is not UNSET:
            field_dict["relevance_score"] = relevance_score
        if priority is not UNSET:
            field_dict["priority"] = priority
        if time_to_live is not UNSET:
            field_dict["time_to_live"] = time_to_live
        if timestamp is not UNSET:
            field_dict["timestamp"] = timestamp

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.create_broadcast_broadcast_alert import (
            CreateBroadcastBroadcastAlert,
        )
        from ..models.create_broadcast_broadcast_content_state import (
            CreateBroadcastBroadcastContentState,
        )

        d = dict(src_dict)
        event = check_create_broadcast_broadcast_event(d.pop("event"))

        _content_state = d.pop("content_state", UNSET)
        content_state: CreateBroadcastBroadcastContentState | Unset
        if isinstance(_content_state, Unset):
            content_state = UNSET
        else:
            content_state = CreateBroadcastBroadcastContentState.from_dict(
                _content_state
            )

        _alert = d.pop("alert", UNSET)
        alert: CreateBroadcastBroadcastAlert | Unset
        if isinstance(_alert, Unset):
            alert = UNSET
        else:
            alert = CreateBroadcastBroadcastAlert.from_dict(_alert)

        stale_date = d.pop("stale_date", UNSET)

        dismissal_date = d.pop("dismissal_date", UNSET)

        relevance_score = d.pop("relevance_score", UNSET)

        _priority = d.pop("priority", UNSET)
        priority: CreateBroadcastBroadcastPriority | Unset
        if isinstance(_priority, Unset):
            priority = UNSET
        else:
            priority = check_create_broadcast_broadcast_priority(_priority)

        time_to_live = d.pop("time_to_live", UNSET)

        timestamp = d.pop("timestamp", UNSET)

        create_broadcast_broadcast = cls(
            event=event,
            content_state=content_state,
            alert=alert,
            stale_date=stale_date,
            dismissal_date=dismissal_date,
            relevance_score=relevance_score,
            priority=priority,
            time_to_live=time_to_live,
            timestamp=timestamp,
        )

        return create_broadcast_broadcast
