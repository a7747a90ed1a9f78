from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_preview_compiled_type_0_device_type_0_fcm_type_0_tray import (
        NotificationPreviewCompiledType0DeviceType0FcmType0Tray,
    )


T = TypeVar("T", bound="NotificationPreviewCompiledType0DeviceType0FcmType0")


@_attrs_define
class NotificationPreviewCompiledType0DeviceType0FcmType0:
    """
    Attributes:
        bytes_ (int): Measured as creation measures it: for a template, with the longest values.
        bytes_left (int): Negative if the payload is too large.
        body (str): The exact JSON, as text, so that numbers keep every digit.
        body_fid (str): The same for a device whose `push_token_type` is `fid`.
        tray (NotificationPreviewCompiledType0DeviceType0FcmType0Tray):
    """

    bytes_: int
    bytes_left: int
    body: str
    body_fid: str
    tray: NotificationPreviewCompiledType0DeviceType0FcmType0Tray

    def to_dict(self) -> dict[str, Any]:
        bytes_ = self.bytes_

        bytes_left = self.bytes_left

        body = self.body

        body_fid = self.body_fid

        tray = self.tray.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "bytes": bytes_,
                "bytes_left": bytes_left,
                "body": body,
                "body_fid": body_fid,
                "tray": tray,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_preview_compiled_type_0_device_type_0_fcm_type_0_tray import (
            NotificationPreviewCompiledType0DeviceType0FcmType0Tray,
        )

        d = dict(src_dict)
        bytes_ = d.pop("bytes")

        bytes_left = d.pop("bytes_left")

        body = d.pop("body")

        body_fid = d.pop("body_fid")

        tray = NotificationPreviewCompiledType0DeviceType0FcmType0Tray.from_dict(
            d.pop("tray")
        )

        notification_preview_compiled_type_0_device_type_0_fcm_type_0 = cls(
            bytes_=bytes_,
            bytes_left=bytes_left,
            body=body,
            body_fid=body_fid,
            tray=tray,
        )

        return notification_preview_compiled_type_0_device_type_0_fcm_type_0
