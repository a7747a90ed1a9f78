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

T = TypeVar("T", bound="DateAttribute")


@_attrs_define
class DateAttribute:
    """
    Attributes:
        type_ (Literal['date']):
        value (list[str] | str):
    """

    type_: Literal["date"]
    value: list[str] | str

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        value: list[str] | str
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
        type_ = cast(Literal["date"], d.pop("type"))
        if type_ != "date":
            raise ValueError(f"type must match const 'date', got '{type_}'")

        def _parse_value(data: object) -> list[str] | str:
            try:
                if not isinstance(data, list):
                    raise TypeError()
                value_type_1 = cast(list[str], data)

                return value_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | str, data)

        value = _parse_value(d.pop("value"))

        date_attribute = cls(
            type_=type_,
            value=value,
        )

        return date_attribute
