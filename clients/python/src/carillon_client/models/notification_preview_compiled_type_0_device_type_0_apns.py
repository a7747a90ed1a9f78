from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_preview_compiled_type_0_device_type_0_apns_headers import (
        NotificationPreviewCompiledType0DeviceType0ApnsHeaders,
    )
    from ..models.notification_preview_compiled_type_0_device_type_0_apns_tray import (
        NotificationPreviewCompiledType0DeviceType0ApnsTray,
    )


T = TypeVar("T", bound="NotificationPreviewCompiledType0DeviceType0Apns")


@_attrs_define
class NotificationPreviewCompiledType0DeviceType0Apns:
    """
    Attributes:
        bytes_ (int): Measured as creation measures it: for a template, with the longest values.
        bytes_left (int): Negative if the payload is too large.
        headers (NotificationPreviewCompiledType0DeviceType0ApnsHeaders): The same for every device; `apns-id` and
            `authorization` are added for each.
        body (str): The exact JSON, as text, so that numbers keep every digit.
        tray (NotificationPreviewCompiledType0DeviceType0ApnsTray):
    """

    bytes_: int
    bytes_left: int
    headers: NotificationPreviewCompiledType0DeviceType0ApnsHeaders
    body: str
    tray: NotificationPreviewCompiledType0DeviceType0ApnsTray

    def to_dict(self) -> dict[str, Any]:
        bytes_ = self.bytes_

        bytes_left = self.bytes_left

        headers = self.headers.to_dict()

        body = self.body

        tray = self.tray.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "bytes": bytes_,
                "bytes_left": bytes_left,
                "headers": headers,
                "body": body,
                "tray": tray,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_preview_compiled_type_0_device_type_0_apns_headers import (
            NotificationPreviewCompiledType0DeviceType0ApnsHeaders,
        )
        from ..models.notification_preview_compiled_type_0_device_type_0_apns_tray import (
            NotificationPreviewCompiledType0DeviceType0ApnsTray,
        )

        d = dict(src_dict)
        bytes_ = d.pop("bytes")

        bytes_left = d.pop("bytes_left")

        headers = NotificationPreviewCompiledType0DeviceType0ApnsHeaders.from_dict(
            d.pop("headers")
        )

        body = d.pop("body")

        tray = NotificationPreviewCompiledType0DeviceType0ApnsTray.from_dict(
            d.pop("tray")
        )

        notification_preview_compiled_type_0_device_type_0_apns = cls(
            bytes_=bytes_,
            bytes_left=bytes_left,
            headers=headers,
            body=body,
            tray=tray,
        )

        return notification_preview_compiled_type_0_device_type_0_apns
