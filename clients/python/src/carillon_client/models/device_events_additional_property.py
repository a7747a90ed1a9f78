from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="DeviceEventsAdditionalProperty")


@_attrs_define
class DeviceEventsAdditionalProperty:
    """
    Attributes:
        count (int):
        first_happened_at (datetime.datetime):
        last_happened_at (datetime.datetime):
    """

    count: int
    first_happened_at: datetime.datetime
    last_happened_at: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        first_happened_at = self.first_happened_at.isoformat()

        last_happened_at = self.last_happened_at.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "count": count,
                "first_happened_at": first_happened_at,
                "last_happened_at": last_happened_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        count = d.pop("count")

        first_happened_at = datetime.datetime.fromisoformat(d.pop("first_happened_at"))

        last_happened_at = datetime.datetime.fromisoformat(d.pop("last_happened_at"))

        device_events_additional_property = cls(
            count=count,
            first_happened_at=first_happened_at,
            last_happened_at=last_happened_at,
        )

        return device_events_additional_property
