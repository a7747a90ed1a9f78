from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="StoredTarget")


@_attrs_define
class StoredTarget:
    """
    Attributes:
        audience (str):
    """

    audience: str

    def to_dict(self) -> dict[str, Any]:
        audience = self.audience

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "audience": audience,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        audience = d.pop("audience")

        stored_target = cls(
            audience=audience,
        )

        return stored_target
