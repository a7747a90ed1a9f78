from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.create_broadcast_broadcast import CreateBroadcastBroadcast


T = TypeVar("T", bound="CreateBroadcast")


@_attrs_define
class CreateBroadcast:
    """
    Attributes:
        broadcast (CreateBroadcastBroadcast):
    """

    broadcast: CreateBroadcastBroadcast

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
        from ..models.create_broadcast_broadcast import CreateBroadcastBroadcast

        d = dict(src_dict)
        broadcast = CreateBroadcastBroadcast.from_dict(d.pop("broadcast"))

        create_broadcast = cls(
            broadcast=broadcast,
        )

        return create_broadcast
