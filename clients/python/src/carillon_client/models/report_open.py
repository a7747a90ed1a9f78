from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ReportOpen")


@_attrs_define
class ReportOpen:
    """
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

        report_open = cls(
            device_id=device_id,
        )

        return report_open
