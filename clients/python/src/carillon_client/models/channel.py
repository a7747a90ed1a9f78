from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.channel_channel import ChannelChannel


T = TypeVar("T", bound="Channel")


@_attrs_define
class Channel:
    """
    Attributes:
        channel (ChannelChannel):
    """

    channel: ChannelChannel

    def to_dict(self) -> dict[str, Any]:
        channel = self.channel.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "channel": channel,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.channel_channel import ChannelChannel

        d = dict(src_dict)
        channel = ChannelChannel.from_dict(d.pop("channel"))

        channel = cls(
            channel=channel,
        )

        return channel
