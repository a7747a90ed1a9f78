from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

T = TypeVar("T", bound="Liveness")


@_attrs_define
class Liveness:
    """
    Attributes:
        status (Literal['up']):
    """

    status: Literal["up"]

    def to_dict(self) -> dict[str, Any]:
        status = self.status

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "status": status,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        status = cast(Literal["up"], d.pop("status"))
        if status != "up":
            raise ValueError(f"status must match const 'up', got '{status}'")

        liveness = cls(
            status=status,
        )

        return liveness
