from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="DeviceTarget")


@_attrs_define
class DeviceTarget:
    """One device; no audience is stored.

    Attributes:
        device_id (str):
    """

    device_id: str

    def to_dict(self) -> dict[str, Any]:
        device_id = self.device_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "device_id": device_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        device_id = d.pop("device_id")

        device_target = cls(
            device_id=device_id,
        )

        return device_target
