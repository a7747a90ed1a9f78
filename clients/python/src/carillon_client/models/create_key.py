from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.create_key_key import CreateKeyKey


T = TypeVar("T", bound="CreateKey")


@_attrs_define
class CreateKey:
    """
    Attributes:
        key (CreateKeyKey):
    """

    key: CreateKeyKey

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
        from ..models.create_key_key import CreateKeyKey

        d = dict(src_dict)
        key = CreateKeyKey.from_dict(d.pop("key"))

        create_key = cls(
            key=key,
        )

        return create_key
