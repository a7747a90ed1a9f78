from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="CreateBroadcastBroadcastAlert")


@_attrs_define
class CreateBroadcastBroadcastAlert:
    """Lights up the screen, or shows on a watch.

    Attributes:
        title (str):
        body (str):
        sound (str | Unset):
    """

    title: str
    body: str
    sound: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        title = self.title

        body = self.body

        sound = self.sound

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "title": title,
                "body": body,
            }
        )
        if sound is not UNSET:
            field_dict["sound"] = sound

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        title = d.pop("title")

        body = d.pop("body")

        sound = d.pop("sound", UNSET)

        create_broadcast_broadcast_alert = cls(
            title=title,
            body=body,
            sound=sound,
        )

        return create_broadcast_broadcast_alert
