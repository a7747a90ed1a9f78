from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.boolean_attribute import BooleanAttribute
    from ..models.date_attribute import DateAttribute
    from ..models.float_attribute import FloatAttribute
    from ..models.integer_attribute import IntegerAttribute
    from ..models.string_attribute import StringAttribute


T = TypeVar("T", bound="CustomAttributes")


@_attrs_define
class CustomAttributes:
    """A value sets an attribute, null removes it, and attributes that are left out stay."""

    additional_properties: dict[
        str,
        BooleanAttribute
        | DateAttribute
        | FloatAttribute
        | IntegerAttribute
        | None
        | StringAttribute,
    ] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.boolean_attribute import BooleanAttribute
        from ..models.date_attribute import DateAttribute
        from ..models.float_attribute import FloatAttribute
        from ..models.integer_attribute import IntegerAttribute
        from ..models.string_attribute import StringAttribute

        field_dict: dict[str, Any] = {}
        for prop_name, prop in self.additional_properties.items():
            if (
                isinstance(prop, StringAttribute)
                or isinstance(prop, IntegerAttribute)
                or isinstance(prop, FloatAttribute)
                or isinstance(prop, DateAttribute)
                or isinstance(prop, BooleanAttribute)
            ):
                field_dict[prop_name] = prop.to_dict()
            else:
                field_dict[prop_name] = prop

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.boolean_attribute import BooleanAttribute
        from ..models.date_attribute import DateAttribute
        from ..models.float_attribute import FloatAttribute
        from ..models.integer_attribute import IntegerAttribute
        from ..models.string_attribute import StringAttribute

        d = dict(src_dict)
        custom_attributes = cls()

        additional_properties = {}
        for prop_name, prop_dict in d.items():

            def _parse_additional_property(
                data: object,
            ) -> (
                BooleanAttribute
                | DateAttribute
                | FloatAttribute
                | IntegerAttribute
                | None
                | StringAttribute
            ):
                if data is None:
                    return data
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_custom_attribute_type_0 = (
                        StringAttribute.from_dict(data)
                    )

                    return componentsschemas_custom_attribute_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_custom_attribute_type_1 = (
                        IntegerAttribute.from_dict(data)
                    )

                    return componentsschemas_custom_attribute_type_1
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_custom_attribute_type_2 = (
                        FloatAttribute.from_dict(data)
                    )

                    return componentsschemas_custom_attribute_type_2
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_custom_attribute_type_3 = DateAttribute.from_dict(
                        data
                    )

                    return componentsschemas_custom_attribute_type_3
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_custom_attribute_type_4 = (
                        BooleanAttribute.from_dict(data)
                    )

                    return componentsschemas_custom_attribute_type_4
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                return cast(
                    BooleanAttribute
                    | DateAttribute
                    | FloatAttribute
                    | IntegerAttribute
                    | None
                    | StringAttribute,
                    data,
                )

            additional_property = _parse_additional_property(prop_dict)

            additional_properties[prop_name] = additional_property

        custom_attributes.additional_properties = additional_properties
        return custom_attributes

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(
        self, key: str
    ) -> (
        BooleanAttribute
        | DateAttribute
        | FloatAttribute
        | IntegerAttribute
        | None
        | StringAttribute
    ):
        return self.additional_properties[key]

    def __setitem__(
        self,
        key: str,
        value: BooleanAttribute
        | DateAttribute
        | FloatAttribute
        | IntegerAttribute
        | None
        | StringAttribute,
    ) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
