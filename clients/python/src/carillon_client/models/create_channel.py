from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.create_channel_channel import CreateChannelChannel


T = TypeVar("T", bound="CreateChannel")


@_attrs_define
class CreateChannel:
    """
    Attributes:
        channel (CreateChannelChannel):
    """

    channel: CreateChannelChannel

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
        from ..models.create_channel_channel import CreateChannelChannel

        d = dict(src_dict)
        channel = CreateChannelChannel.from_dict(d.pop("channel"))

        create_channel = cls(
            channel=channel,
        )

        return create_channel
