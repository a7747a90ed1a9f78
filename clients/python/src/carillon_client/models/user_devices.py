from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="UserDevices")


@_attrs_define
class UserDevices:
    """
    Attributes:
        devices (int): The number of devices that the user has.
    """

    devices: int

    def to_dict(self) -> dict[str, Any]:
        devices = self.devices

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "devices": devices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        devices = d.pop("devices")

        user_devices = cls(
            devices=devices,
        )

        return user_devices
