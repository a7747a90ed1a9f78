from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification import Notification
    from ..models.notification_list_meta import NotificationListMeta


T = TypeVar("T", bound="NotificationList")


@_attrs_define
class NotificationList:
    """
    Attributes:
        notifications (list[Notification]):
        meta (NotificationListMeta):
    """

    notifications: list[Notification]
    meta: NotificationListMeta

    def to_dict(self) -> dict[str, Any]:
        notifications = []
        for notifications_item_data in self.notifications:
            notifications_item = notifications_item_data.to_dict()
            notifications.append(notifications_item)

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notifications": notifications,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification import Notification
        from ..models.notification_list_meta import NotificationListMeta

        d = dict(src_dict)
        notifications = []
        _notifications = d.pop("notifications")
        for notifications_item_data in _notifications:
            notifications_item = Notification.from_dict(notifications_item_data)

            notifications.append(notifications_item)

        meta = NotificationListMeta.from_dict(d.pop("meta"))

        notification_list = cls(
            notifications=notifications,
            meta=meta,
        )

        return notification_list
