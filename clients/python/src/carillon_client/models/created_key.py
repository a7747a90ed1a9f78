from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.created_key_key import CreatedKeyKey


T = TypeVar("T", bound="CreatedKey")


@_attrs_define
class CreatedKey:
    """
    Attributes:
        key (CreatedKeyKey):
    """

    key: CreatedKeyKey

    def to_dict(self) -> dict[str, Any]:
        key = self.key.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "key": key,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.created_key_key import CreatedKeyKey

        d = dict(src_dict)
        key = CreatedKeyKey.from_dict(d.pop("key"))

        created_key = cls(
            key=key,
        )

        return created_key
