from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="NotificationRequestApnsSoundType1")


@_attrs_define
class NotificationRequestApnsSoundType1:
    """
    Attributes:
        name (str): A sound file of the app, or `default` for the sound of iOS.
        critical (bool | Unset): Whether it sounds although the phone is muted or a Focus is on. The app needs a
            permission from Apple for it.
        volume (float | Unset): Of a critical alert: 0 is silent, 1 the full volume.
    """

    name: str
    critical: bool | Unset = UNSET
    volume: float | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        critical = self.critical

        volume = self.volume

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
        if critical is not UNSET:
            field_dict["critical"] = critical
        if volume is not UNSET:
            field_dict["volume"] = volume

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        critical = d.pop("critical", UNSET)

        volume = d.pop("volume", UNSET)

        notification_request_apns_sound_type_1 = cls(
            name=name,
            critical=critical,
            volume=volume,
        )

        return notification_request_apns_sound_type_1
