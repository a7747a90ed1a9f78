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

T = TypeVar("T", bound="IntegerAttribute")


@_attrs_define
class IntegerAttribute:
    """
    Attributes:
        type_ (Literal['integer']):
        value (int | list[int]):
    """

    type_: Literal["integer"]
    value: int | list[int]

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        value: int | list[int]
        if isinstance(self.value, list):
            value = self.value

        else:
            value = self.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "type": type_,
                "value": value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        type_ = cast(Literal["integer"], d.pop("type"))
        if type_ != "integer":
            raise ValueError(f"type must match const 'integer', got '{type_}'")

        def _parse_value(data: object) -> int | list[int]:
            try:
                if not isinstance(data, list):
                    raise TypeError()
                value_type_1 = cast(list[int], data)

                return value_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | list[int], data)

        value = _parse_value(d.pop("value"))

        integer_attribute = cls(
            type_=type_,
            value=value,
        )

        return integer_attribute
