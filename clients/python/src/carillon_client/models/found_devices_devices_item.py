from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.found_devices_devices_item_match import (
    FoundDevicesDevicesItemMatch,
    check_found_devices_devices_item_match,
)

if TYPE_CHECKING:
    from ..models.device import Device


T = TypeVar("T", bound="FoundDevicesDevicesItem")


@_attrs_define
class FoundDevicesDevicesItem:
    """
    Attributes:
        match (FoundDevicesDevicesItemMatch): How the device was found. `retired_push_token`: it had this token once;
            now it has another one, or none.
        device (Device):
    """

    match: FoundDevicesDevicesItemMatch
    device: Device

    def to_dict(self) -> dict[str, Any]:
        match: str = self.match

        device = self.device.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "match": match,
                "device": device,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.device import Device

        d = dict(src_dict)
        match = check_found_devices_devices_item_match(d.pop("match"))

        device = Device.from_dict(d.pop("device"))

        found_devices_devices_item = cls(
            match=match,
            device=device,
        )

        return found_devices_devices_item
