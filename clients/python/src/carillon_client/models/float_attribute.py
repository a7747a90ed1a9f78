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

T = TypeVar("T", bound="FloatAttribute")


@_attrs_define
class FloatAttribute:
    """
    Attributes:
        type_ (Literal['float']):
        value (float | list[float]):
    """

    type_: Literal["float"]
    value: float | list[float]

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        value: float | list[float]
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
        type_ = cast(Literal["float"], d.pop("type"))
        if type_ != "float":
            raise ValueError(f"type must match const 'float', got '{type_}'")

        def _parse_value(data: object) -> float | list[float]:
            try:
                if not isinstance(data, list):
                    raise TypeError()
                value_type_1 = cast(list[float], data)

                return value_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(float | list[float], data)

        value = _parse_value(d.pop("value"))

        float_attribute = cls(
            type_=type_,
            value=value,
        )

        return float_attribute
