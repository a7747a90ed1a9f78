from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.registered_device_device import RegisteredDeviceDevice


T = TypeVar("T", bound="RegisteredDevice")


@_attrs_define
class RegisteredDevice:
    """
    Attributes:
        device (RegisteredDeviceDevice): A key without `read` gets push_token, user_id, user_email, location,
            sdk_location only if the call itself sent them.
    """

    device: RegisteredDeviceDevice

    def to_dict(self) -> dict[str, Any]:
        device = self.device.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "device": device,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.registered_device_device import RegisteredDeviceDevice

        d = dict(src_dict)
        device = RegisteredDeviceDevice.from_dict(d.pop("device"))

        registered_device = cls(
            device=device,
        )

        return registered_device
