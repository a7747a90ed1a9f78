from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.channel_list_channels_item import ChannelListChannelsItem
    from ..models.channel_list_meta import ChannelListMeta


T = TypeVar("T", bound="ChannelList")


@_attrs_define
class ChannelList:
    """
    Attributes:
        channels (list[ChannelListChannelsItem]):
        meta (ChannelListMeta):
    """

    channels: list[ChannelListChannelsItem]
    meta: ChannelListMeta

    def to_dict(self) -> dict[str, Any]:
        channels = []
        for channels_item_data in self.channels:
            channels_item = channels_item_data.to_dict()
            channels.append(channels_item)

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "channels": channels,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.channel_list_channels_item import ChannelListChannelsItem
        from ..models.channel_list_meta import ChannelListMeta

        d = dict(src_dict)
        channels = []
        _channels = d.pop("channels")
        for channels_item_data in _channels:
            channels_item = ChannelListChannelsItem.from_dict(channels_item_data)

            channels.append(channels_item)

        meta = ChannelListMeta.from_dict(d.pop("meta"))

        channel_list = cls(
            channels=channels,
            meta=meta,
        )

        return channel_list
