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
    from ..models.notification_request_live_activity_type_1_content_state import (
        NotificationRequestLiveActivityType1ContentState,
    )


T = TypeVar("T", bound="NotificationRequestLiveActivityType1")


@_attrs_define
class NotificationRequestLiveActivityType1:
    """
    Attributes:
        event (Literal['update']):
        activity_id (str): The app’s own id of the activity: the name under which devices have registered its push
            token.
        content_state (NotificationRequestLiveActivityType1ContentState): The content that changes, as the app’s
            `ContentState` reads it.
        stale_date (str | Unset): When the content is out of date.
        relevance_score (float | Unset): The activity with the highest score is shown first.
    """

    event: Literal["update"]
    activity_id: str
    content_state: NotificationRequestLiveActivityType1ContentState
    stale_date: str | Unset = UNSET
    relevance_score: float | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        event = self.event

        activity_id = self.activity_id

        content_state = self.content_state.to_dict()

        stale_date = self.stale_date

        relevance_score = self.relevance_score

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "event": event,
                "activity_id": activity_id,
                "content_state": content_state,
            }
        )
        if stale_date is not UNSET:
            field_dict["stale_date"] = stale_date
        if relevance_score is not UNSET:
            field_dict["relevance_score"] = relevance_score

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_request_live_activity_type_1_content_state import (
            NotificationRequestLiveActivityType1ContentState,
        )

        d = dict(src_dict)
        event = cast(Literal["update"], d.pop("event"))
        if event != "update":
            raise ValueError(f"event must match const 'update', got '{event}'")

        activity_id = d.pop("activity_id")

        content_state = NotificationRequestLiveActivityType1ContentState.from_dict(
            d.pop("content_state")
        )

        stale_date = d.pop("stale_date", UNSET)

        relevance_score = d.pop("relevance_score", UNSET)

        notification_request_live_activity_type_1 = cls(
            event=event,
            activity_id=activity_id,
            content_state=content_state,
            stale_date=stale_date,
            relevance_score=relevance_score,
        )

        return notification_request_live_activity_type_1
