from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.channel_broadcast_broadcast import ChannelBroadcastBroadcast


T = TypeVar("T", bound="ChannelBroadcast")


@_attrs_define
class ChannelBroadcast:
    """
    Attributes:
        broadcast (ChannelBroadcastBroadcast):
    """

    broadcast: ChannelBroadcastBroadcast

    def to_dict(self) -> dict[str, Any]:
        broadcast = self.broadcast.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "broadcast": broadcast,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.channel_broadcast_broadcast import ChannelBroadcastBroadcast

        d = dict(src_dict)
        broadcast = ChannelBroadcastBroadcast.from_dict(d.pop("broadcast"))

        channel_broadcast = cls(
            broadcast=broadcast,
        )

        return channel_broadcast
