from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.notification_request_live_activity_type_2_content_state import (
        NotificationRequestLiveActivityType2ContentState,
    )


T = TypeVar("T", bound="NotificationRequestLiveActivityType2")


@_attrs_define
class NotificationRequestLiveActivityType2:
    """
    Attributes:
        event (Literal['end']):
        activity_id (str): The app’s own id of the activity: the name under which devices have registered its push
            token.
        content_state (NotificationRequestLiveActivityType2ContentState | Unset): The content that changes, as the app’s
            `ContentState` reads it.
        dismissal_date (str | Unset): When it is removed from the lock screen; a time in the past removes it at once,
            and without one it stays for up to four hours.
        stale_date (str | Unset): When the content is out of date.
        relevance_score (float | Unset): The activity with the highest score is shown first.
    """

    event: Literal["end"]
    activity_id: str
    content_state: NotificationRequestLiveActivityType2ContentState | Unset = UNSET
    dismissal_date: str | Unset = UNSET
    stale_date: str | Unset = UNSET
    relevance_score: float | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        event = self.event

        activity_id = self.activity_id

        content_state: dict[str, Any] | Unset = UNSET
        if not isinstance(self.content_state, Unset):
            content_state = self.content_state.to_dict()

        dismissal_date = self.dismissal_date

        stale_date = self.stale_date

        relevance_score = self.relevance_score

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "event": event,
                "activity_id": activity_id,
            }
        )
        if content_state is not UNSET:
            field_dict["content_state"] = content_state
        if dismissal_date is not UNSET:
            field_dict["dismissal_date"] = dismissal_date
        if stale_date is not UNSET:
            field_dict["stale_date"] = stale_date
        if relevance_score is not UNSET:
            field_dict["relevance_score"] = relevance_score

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_request_live_activity_type_2_content_state import (
            NotificationRequestLiveActivityType2ContentState,
        )

        d = dict(src_dict)
        event = cast(Literal["end"], d.pop("event"))
        if event != "end":
            raise ValueError(f"event must match const 'end', got '{event}'")

        activity_id = d.pop("activity_id")

        _content_state = d.pop("content_state", UNSET)
        content_state: NotificationRequestLiveActivityType2ContentState | Unset
        if isinstance(_content_state, Unset):
            content_state = UNSET
        else:
            content_state = NotificationRequestLiveActivityType2ContentState.from_dict(
                _content_state
            )

        dismissal_date = d.pop("dismissal_date", UNSET)

        stale_date = d.pop("stale_date", UNSET)

        relevance_score = d.pop("relevance_score", UNSET)

        notification_request_live_activity_type_2 = cls(
            event=event,
            activity_id=activity_id,
            content_state=content_state,
            dismissal_date=dismissal_date,
            stale_date=stale_date,
            relevance_score=relevance_score,
        )

        return notification_request_live_activity_type_2
