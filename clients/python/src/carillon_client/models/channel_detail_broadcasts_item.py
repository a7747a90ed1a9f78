from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.channel_detail_broadcasts_item_event import (
    ChannelDetailBroadcastsItemEvent,
    check_channel_detail_broadcasts_item_event,
)
from ..models.channel_detail_broadcasts_item_priority import (
    ChannelDetailBroadcastsItemPriority,
    check_channel_detail_broadcasts_item_priority,
)
from ..models.channel_detail_broadcasts_item_state import (
    ChannelDetailBroadcastsItemState,
    check_channel_detail_broadcasts_item_state,
)

T = TypeVar("T", bound="ChannelDetailBroadcastsItem")


@_attrs_define
class ChannelDetailBroadcastsItem:
    """
    Attributes:
        id (UUID): Also the `apns-request-id` that Apple gets.
        event (ChannelDetailBroadcastsItemEvent):
        state (ChannelDetailBroadcastsItemState): `replaced`: a newer one came before it was sent. `rejected`: Apple
            refused it, see `reason`.
        priority (ChannelDetailBroadcastsItemPriority):
        timestamp (datetime.datetime | None): The time that devices compare; null until it is sent, unless it was given.
        created_at (datetime.datetime):
        expires_at (datetime.datetime):
        attempts (int):
        reason (None | str): Why the last attempt failed, in Apple’s word or ours.
        explanation (None | str):
        ended_at (datetime.datetime | None):
    """

    id: UUID
    event: ChannelDetailBroadcastsItemEvent
    state: ChannelDetailBroadcastsItemState
    priority: ChannelDetailBroadcastsItemPriority
    timestamp: datetime.datetime | None
    created_at: datetime.datetime
    expires_at: datetime.datetime
    attempts: int
    reason: None | str
    explanation: None | str
    ended_at: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        event: str = self.event

        state: str = self.state

        priority: str = self.priority

        timestamp: None | str
        if isinstance(self.timestamp, datetime.datetime):
            timestamp = self.timestamp.isoformat()
        else:
            timestamp = self.timestamp

        created_at = self.created_at.isoformat()

        expires_at = self.expires_at.isoformat()

        attempts = self.attempts

        reason: None | str
        reason = self.reason

        explanation: None | str
        explanation = self.explanation

        ended_at: None | str
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "event": event,
                "state": state,
                "priority": priority,
                "timestamp": timestamp,
                "created_at": created_at,
                "expires_at": expires_at,
                "attempts": attempts,
                "reason": reason,
                "explanation": explanation,
                "ended_at": ended_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        event = check_channel_detail_broadcasts_item_event(d.pop("event"))

        state = check_channel_detail_broadcasts_item_state(d.pop("state"))

        priority = check_channel_detail_broadcasts_item_priority(d.pop("priority"))

        def _parse_timestamp(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                timestamp_type_0 = datetime.datetime.fromisoformat(data)

                return timestamp_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        timestamp = _parse_timestamp(d.pop("timestamp"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))

        attempts = d.pop("attempts")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        def _parse_explanation(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        explanation = _parse_explanation(d.pop("explanation"))

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

        channel_detail_broadcasts_item = cls(
            id=id,
            event=event,
            state=state,
            priority=priority,
            timestamp=timestamp,
            created_at=created_at,
            expires_at=expires_at,
            attempts=attempts,
            reason=reason,
            explanation=explanation,
            ended_at=ended_at,
        )

        return channel_detail_broadcasts_item
