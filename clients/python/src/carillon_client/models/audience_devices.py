from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.audience_devices_meta import AudienceDevicesMeta
    from ..models.device import Device


T = TypeVar("T", bound="AudienceDevices")


@_attrs_define
class AudienceDevices:
    """
    Attributes:
        meta (AudienceDevicesMeta):
        devices (list[Device]):
    """

    meta: AudienceDevicesMeta
    devices: list[Device]

    def to_dict(self) -> dict[str, Any]:
        meta = self.meta.to_dict()

        devices = []
        for devices_item_data in self.devices:
            devices_item = devices_item_data.to_dict()
            devices.append(devices_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "meta": meta,
                "devices": devices,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.audience_devices_meta import AudienceDevicesMeta
        from ..models.device import Device

        d = dict(src_dict)
        meta = AudienceDevicesMeta.from_dict(d.pop("meta"))

        devices = []
        _devices = d.pop("devices")
        for devices_item_data in _devices:
            devices_item = Device.from_dict(devices_item_data)

            devices.append(devices_item)

        audience_devices = cls(
            meta=meta,
            devices=devices,
        )

        return audience_devices
