from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ResumedRoute")


@_attrs_define
class ResumedRoute:
    """
    Attributes:
        was_paused (bool):
    """

    was_paused: bool

    def to_dict(self) -> dict[str, Any]:
        was_paused = self.was_paused

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "was_paused": was_paused,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        was_paused = d.pop("was_paused")

        resumed_route = cls(
            was_paused=was_paused,
        )

        return resumed_route
