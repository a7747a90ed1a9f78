from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.notification_request import NotificationRequest


T = TypeVar("T", bound="PreviewNotification")


@_attrs_define
class PreviewNotification:
    """
    Attributes:
        notification (NotificationRequest):
        device_id (UUID | Unset): A device for which it is previewed as well.
        variant (str | Unset): The variant, or `hold_out`, that the device is to be shown with. Needs `device_id`.
    """

    notification: NotificationRequest
    device_id: UUID | Unset = UNSET
    variant: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        notification = self.notification.to_dict()

        device_id: str | Unset = UNSET
        if not isinstance(self.device_id, Unset):
            device_id = str(self.device_id)

        variant = self.variant

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notification": notification,
            }
        )
        if device_id is not UNSET:
            field_dict["device_id"] = device_id
        if variant is not UNSET:
            field_dict["variant"] = variant

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_request import NotificationRequest

        d = dict(src_dict)
        notification = NotificationRequest.from_dict(d.pop("notification"))

        _device_id = d.pop("device_id", UNSET)
        device_id: UUID | Unset
        if isinstance(_device_id, Unset):
            device_id = UNSET
        else:
            device_id = UUID(_device_id)

        variant = d.pop("variant", UNSET)

        preview_notification = cls(
            notification=notification,
            device_id=device_id,
            variant=variant,
        )

        return preview_notification
