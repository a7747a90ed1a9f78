from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.audience_uses_notifications_item import AudienceUsesNotificationsItem


T = TypeVar("T", bound="AudienceUses")


@_attrs_define
class AudienceUses:
    """
    Attributes:
        notifications (list[AudienceUsesNotificationsItem]):
    """

    notifications: list[AudienceUsesNotificationsItem]

    def to_dict(self) -> dict[str, Any]:
        notifications = []
        for notifications_item_data in self.notifications:
            notifications_item = notifications_item_data.to_dict()
            notifications.append(notifications_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notifications": notifications,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.audience_uses_notifications_item import (
            AudienceUsesNotificationsItem,
        )

        d = dict(src_dict)
        notifications = []
        _notifications = d.pop("notifications")
        for notifications_item_data in _notifications:
            notifications_item = AudienceUsesNotificationsItem.from_dict(
                notifications_item_data
            )

            notifications.append(notifications_item)

        audience_uses = cls(
            notifications=notifications,
        )

        return audience_uses
