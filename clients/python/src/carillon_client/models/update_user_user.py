from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.custom_attributes import CustomAttributes


T = TypeVar("T", bound="UpdateUserUser")


@_attrs_define
class UpdateUserUser:
    """
    Attributes:
        custom (CustomAttributes): A value sets an attribute, null removes it, and attributes that are left out stay.
    """

    custom: CustomAttributes

    def to_dict(self) -> dict[str, Any]:
        custom = self.custom.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "custom": custom,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.custom_attributes import CustomAttributes

        d = dict(src_dict)
        custom = CustomAttributes.from_dict(d.pop("custom"))

        update_user_user = cls(
            custom=custom,
        )

        return update_user_user
