from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="DeviceCount")


@_attrs_define
class DeviceCount:
    """
    Attributes:
        device_count (int): All devices that match, including those without a push token. Exact; for a large audience it
            may be a few seconds old.
        reachable_count (int): The devices among them that have a push token, counted at the same moment.
    """

    device_count: int
    reachable_count: int

    def to_dict(self) -> dict[str, Any]:
        device_count = self.device_count

        reachable_count = self.reachable_count

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "device_count": device_count,
                "reachable_count": reachable_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        device_count = d.pop("device_count")

        reachable_count = d.pop("reachable_count")

        device_count = cls(
            device_count=device_count,
            reachable_count=reachable_count,
        )

        return device_count
