from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="NewerNotifications")


@_attrs_define
class NewerNotifications:
    """
    Attributes:
        count (int):
        more (bool): Whether there may be more: at most 100 are counted.
    """

    count: int
    more: bool

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        more = self.more

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "count": count,
                "more": more,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        count = d.pop("count")

        more = d.pop("more")

        newer_notifications = cls(
            count=count,
            more=more,
        )

        return newer_notifications
