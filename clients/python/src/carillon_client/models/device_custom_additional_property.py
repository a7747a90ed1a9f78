from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.device_custom_additional_property_type import (
    DeviceCustomAdditionalPropertyType,
    check_device_custom_additional_property_type,
)

T = TypeVar("T", bound="DeviceCustomAdditionalProperty")


@_attrs_define
class DeviceCustomAdditionalProperty:
    """
    Attributes:
        type_ (DeviceCustomAdditionalPropertyType):
        value (Any): One value of that type, or a list of them.
    """

    type_: DeviceCustomAdditionalPropertyType
    value: Any

    def to_dict(self) -> dict[str, Any]:
        type_: str = self.type_

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
        type_ = check_device_custom_additional_property_type(d.pop("type"))

        value = d.pop("value")

        device_custom_additional_property = cls(
            type_=type_,
            value=value,
        )

        return device_custom_additional_property
