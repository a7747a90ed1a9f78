from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.device_tokens_tokens_item import DeviceTokensTokensItem


T = TypeVar("T", bound="DeviceTokens")


@_attrs_define
class DeviceTokens:
    """
    Attributes:
        tokens (list[DeviceTokensTokensItem]):
    """

    tokens: list[DeviceTokensTokensItem]

    def to_dict(self) -> dict[str, Any]:
        tokens = []
        for tokens_item_data in self.tokens:
            tokens_item = tokens_item_data.to_dict()
            tokens.append(tokens_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "tokens": tokens,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.device_tokens_tokens_item import DeviceTokensTokensItem

        d = dict(src_dict)
        tokens = []
        _tokens = d.pop("tokens")
        for tokens_item_data in _tokens:
            tokens_item = DeviceTokensTokensItem.from_dict(tokens_item_data)

            tokens.append(tokens_item)

        device_tokens = cls(
            tokens=tokens,
        )

        return device_tokens
