from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.device import Device


T = TypeVar("T", bound="OneDevice")


@_attrs_define
class OneDevice:
    """
    Attributes:
        device (Device):
    """

    device: Device

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
        from ..models.device import Device

        d = dict(src_dict)
        device = Device.from_dict(d.pop("device"))

        one_device = cls(
            device=device,
        )

        return one_device
