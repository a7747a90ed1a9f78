from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.channel_detail_broadcasts_item import ChannelDetailBroadcastsItem
    from ..models.channel_detail_channel import ChannelDetailChannel


T = TypeVar("T", bound="ChannelDetail")


@_attrs_define
class ChannelDetail:
    """
    Attributes:
        channel (ChannelDetailChannel):
        broadcasts (list[ChannelDetailBroadcastsItem]): The newest 20, newest first. They are kept for 7 days after
            their end.
    """

    channel: ChannelDetailChannel
    broadcasts: list[ChannelDetailBroadcastsItem]

    def to_dict(self) -> dict[str, Any]:
        channel = self.channel.to_dict()

        broadcasts = []
        for broadcasts_item_data in self.broadcasts:
            broadcasts_item = broadcasts_item_data.to_dict()
            broadcasts.append(broadcasts_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "channel": channel,
                "broadcasts": broadcasts,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.channel_detail_broadcasts_item import ChannelDetailBroadcastsItem
        from ..models.channel_detail_channel import ChannelDetailChannel

        d = dict(src_dict)
        channel = ChannelDetailChannel.from_dict(d.pop("channel"))

        broadcasts = []
        _broadcasts = d.pop("broadcasts")
        for broadcasts_item_data in _broadcasts:
            broadcasts_item = ChannelDetailBroadcastsItem.from_dict(
                broadcasts_item_data
            )

            broadcasts.append(broadcasts_item)

        channel_detail = cls(
            channel=channel,
            broadcasts=broadcasts,
        )

        return channel_detail
