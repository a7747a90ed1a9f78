from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

from ..models.audience_uses_notifications_item_state import (
    AudienceUsesNotificationsItemState,
    check_audience_uses_notifications_item_state,
)

T = TypeVar("T", bound="AudienceUsesNotificationsItem")


@_attrs_define
class AudienceUsesNotificationsItem:
    """
    Attributes:
        id (UUID): The notification.
        state (AudienceUsesNotificationsItemState):
        created_at (datetime.datetime):
        due_at (datetime.datetime): When it is or was to be sent.
    """

    id: UUID
    state: AudienceUsesNotificationsItemState
    created_at: datetime.datetime
    due_at: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        state: str = self.state

        created_at = self.created_at.isoformat()

        due_at = self.due_at.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "state": state,
                "created_at": created_at,
                "due_at": due_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        state = check_audience_uses_notifications_item_state(d.pop("state"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        due_at = datetime.datetime.fromisoformat(d.pop("due_at"))

        audience_uses_notifications_item = cls(
            id=id,
            state=state,
            created_at=created_at,
            due_at=due_at,
        )

        return audience_uses_notifications_item
