from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="AudienceDevicesMeta")


@_attrs_define
class AudienceDevicesMeta:
    """
    Attributes:
        cursor (None | str): Leads to the next page; null after the last one.
        total (int): The device count of the audience.
    """

    cursor: None | str
    total: int

    def to_dict(self) -> dict[str, Any]:
        cursor: None | str
        cursor = self.cursor

        total = self.total

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "cursor": cursor,
                "total": total,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cursor = _parse_cursor(d.pop("cursor"))

        total = d.pop("total")

        audience_devices_meta = cls(
            cursor=cursor,
            total=total,
        )

        return audience_devices_meta
