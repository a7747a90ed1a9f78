from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.create_key_key_scopes_item import (
    CreateKeyKeyScopesItem,
    check_create_key_key_scopes_item,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="CreateKeyKey")


@_attrs_define
class CreateKeyKey:
    """
    Attributes:
        scopes (list[CreateKeyKeyScopesItem]):
        name (None | str | Unset): What people call it, such as `back end`.
    """

    scopes: list[CreateKeyKeyScopesItem]
    name: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        scopes = []
        for scopes_item_data in self.scopes:
            scopes_item: str = scopes_item_data
            scopes.append(scopes_item)

        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "scopes": scopes,
            }
        )
        if name is not UNSET:
            field_dict["name"] = name

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        scopes = []
        _scopes = d.pop("scopes")
        for scopes_item_data in _scopes:
            scopes_item = check_create_key_key_scopes_item(scopes_item_data)

            scopes.append(scopes_item)

        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))

        create_key_key = cls(
            scopes=scopes,
            name=name,
        )

        return create_key_key
