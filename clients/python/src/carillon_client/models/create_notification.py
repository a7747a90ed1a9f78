from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_request import NotificationRequest


T = TypeVar("T", bound="CreateNotification")


@_attrs_define
class CreateNotification:
    """
    Attributes:
        notification (NotificationRequest):
    """

    notification: NotificationRequest

    def to_dict(self) -> dict[str, Any]:
        notification = self.notification.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notification": notification,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_request import NotificationRequest

        d = dict(src_dict)
        notification = NotificationRequest.from_dict(d.pop("notification"))

        create_notification = cls(
            notification=notification,
        )

        return create_notification
