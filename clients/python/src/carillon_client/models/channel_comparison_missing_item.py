from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

T = TypeVar("T", bound="ChannelComparisonMissingItem")


@_attrs_define
class ChannelComparisonMissingItem:
    """
    Attributes:
        id (UUID):
        key (str):
        apns_channel_id (str): Apple’s id, with which the app subscribes to it.
    """

    id: UUID
    key: str
    apns_channel_id: str

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        key = self.key

        apns_channel_id = self.apns_channel_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "key": key,
                "apns_channel_id": apns_channel_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        key = d.pop("key")

        apns_channel_id = d.pop("apns_channel_id")

        channel_comparison_missing_item = cls(
            id=id,
            key=key,
            apns_channel_id=apns_channel_id,
        )

        return channel_comparison_missing_item
