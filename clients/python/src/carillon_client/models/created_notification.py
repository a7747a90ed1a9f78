from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)
from uuid import UUID

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.created_notification_notification import (
        CreatedNotificationNotification,
    )
    from ..models.created_notification_to import CreatedNotificationTo


T = TypeVar("T", bound="CreatedNotification")


@_attrs_define
class CreatedNotification:
    """
    Attributes:
        created_at (datetime.datetime):
        state (Literal['scheduled']):
        id (UUID):
        to (CreatedNotificationTo):
        notification (CreatedNotificationNotification): The same JSON as submitted; numbers keep every digit.
    """

    created_at: datetime.datetime
    state: Literal["scheduled"]
    id: UUID
    to: CreatedNotificationTo
    notification: CreatedNotificationNotification

    def to_dict(self) -> dict[str, Any]:
        created_at = self.created_at.isoformat()

        state = self.state

        id = str(self.id)

        to = self.to.to_dict()

        notification = self.notification.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "created_at": created_at,
                "state": state,
                "id": id,
                "to": to,
                "notification": notification,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.created_notification_notification import (
            CreatedNotificationNotification,
        )
        from ..models.created_notification_to import CreatedNotificationTo

        d = dict(src_dict)
        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        state = cast(Literal["scheduled"], d.pop("state"))
        if state != "scheduled":
            raise ValueError(f"state must match const 'scheduled', got '{state}'")

        id = UUID(d.pop("id"))

        to = CreatedNotificationTo.from_dict(d.pop("to"))

        notification = CreatedNotificationNotification.from_dict(d.pop("notification"))

        created_notification = cls(
            created_at=created_at,
            state=state,
            id=id,
            to=to,
            notification=notification,
        )

        return created_notification
