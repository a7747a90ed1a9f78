from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.device_tokens_tokens_item_token_type import (
    DeviceTokensTokensItemTokenType,
    check_device_tokens_tokens_item_token_type,
)

T = TypeVar("T", bound="DeviceTokensTokensItem")


@_attrs_define
class DeviceTokensTokensItem:
    """
    Attributes:
        token_type (DeviceTokensTokensItemTokenType):
        token_name (str):
        registered_at (datetime.datetime): When the app first sent the token.
    """

    token_type: DeviceTokensTokensItemTokenType
    token_name: str
    registered_at: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        token_type: str = self.token_type

        token_name = self.token_name

        registered_at = self.registered_at.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "token_type": token_type,
                "token_name": token_name,
                "registered_at": registered_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        token_type = check_device_tokens_tokens_item_token_type(d.pop("token_type"))

        token_name = d.pop("token_name")

        registered_at = datetime.datetime.fromisoformat(d.pop("registered_at"))

        device_tokens_tokens_item = cls(
            token_type=token_type,
            token_name=token_name,
            registered_at=registered_at,
        )

        return device_tokens_tokens_item
