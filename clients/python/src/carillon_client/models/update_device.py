from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.device_update import DeviceUpdate


T = TypeVar("T", bound="UpdateDevice")


@_attrs_define
class UpdateDevice:
    """
    Attributes:
        device (DeviceUpdate):
    """

    device: DeviceUpdate

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
        from ..models.device_update import DeviceUpdate

        d = dict(src_dict)
        device = DeviceUpdate.from_dict(d.pop("device"))

        update_device = cls(
            device=device,
        )

        return update_device
