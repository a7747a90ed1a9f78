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
    from ..models.notification_request_live_activity_type_0_attributes import (
        NotificationRequestLiveActivityType0Attributes,
    )
    from ..models.notification_request_live_activity_type_0_content_state import (
        NotificationRequestLiveActivityType0ContentState,
    )


T = TypeVar("T", bound="NotificationRequestLiveActivityType0")


@_attrs_define
class NotificationRequestLiveActivityType0:
    """
    Attributes:
        event (Literal['start']):
        attributes_type (str): The name of the app’s `ActivityAttributes`, under which devices have registered a push-
            to-start token.
        attributes (NotificationRequestLiveActivityType0Attributes): The content that stays.
        content_state (NotificationRequestLiveActivityType0ContentState): The content that changes, as the app’s
            `ContentState` reads it.
        input_push_token (bool | Unset): Whether iOS 18 asks for a push token for the activity that it starts; true if
            left out and there is no channel.
        input_push_channel (str | Unset): The channel from which the activity gets its updates (iOS 18).
        stale_date (str | Unset): When the content is out of date.
        relevance_score (float | Unset): The activity with the highest score is shown first.
    """

    event: Literal["start"]
    attributes_type: str
    attributes: NotificationRequestLiveActivityType0Attributes
    content_state: NotificationRequestLiveActivityType0ContentState
    input_push_token: bool | Unset = UNSET
    input_push_channel: str | Unset = UNSET
    stale_date: str | Unset = UNSET
    relevance_score: float | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        event = self.event

        attributes_type = self.attributes_type

        attributes = self.attributes.to_dict()

        content_state = self.content_state.to_dict()

        input_push_token = self.input_push_token

        input_push_channel = self.input_push_channel

        stale_date = self.stale_date

        relevance_score = self.relevance_score

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "event": event,
                "attributes_type": attributes_type,
                "attributes": attributes,
                "content_state": content_state,
            }
        )
        if input_push_token is not UNSET:
            field_dict["input_push_token"] = input_push_token
        if input_push_channel is not UNSET:
            field_dict["input_push_channel"] = input_push_channel
        if stale_date is not UNSET:
            field_dict["stale_date"] = stale_date
        if relevance_score is not UNSET:
            field_dict["relevance_score"] = relevance_score

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_request_live_activity_type_0_attributes import (
            NotificationRequestLiveActivityType0Attributes,
        )
        from ..models.notification_request_live_activity_type_0_content_state import (
            NotificationRequestLiveActivityType0ContentState,
        )

        d = dict(src_dict)
        event = cast(Literal["start"], d.pop("event"))
        if event != "start":
            raise ValueError(f"event must match const 'start', got '{event}'")

        attributes_type = d.pop("attributes_type")

        attributes = NotificationRequestLiveActivityType0Attributes.from_dict(
            d.pop("attributes")
        )

        content_state = NotificationRequestLiveActivityType0ContentState.from_dict(
            d.pop("content_state")
        )

        input_push_token = d.pop("input_push_token", UNSET)

        input_push_channel = d.pop("input_push_channel", UNSET)

        stale_date = d.pop("stale_date", UNSET)

        relevance_score = d.pop("relevance_score", UNSET)

        notification_request_live_activity_type_0 = cls(
            event=event,
            attributes_type=attributes_type,
            attributes=attributes,
            content_state=content_state,
            input_push_token=input_push_token,
            input_push_channel=input_push_channel,
            stale_date=stale_date,
            relevance_score=relevance_score,
        )

        return notification_request_live_activity_type_0
