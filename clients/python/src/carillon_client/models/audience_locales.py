from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.audience_locales_locales_item import AudienceLocalesLocalesItem


T = TypeVar("T", bound="AudienceLocales")


@_attrs_define
class AudienceLocales:
    """
    Attributes:
        devices (int): The number of devices whose locale was read.
        is_sample (bool): Whether the audience has more devices than these, which are then a random sample of it.
        untranslated (int): Those that get the default payload, because no translation suits them.
        locales (list[AudienceLocalesLocalesItem]): The most frequent first, 200 at most.
    """

    devices: int
    is_sample: bool
    untranslated: int
    locales: list[AudienceLocalesLocalesItem]

    def to_dict(self) -> dict[str, Any]:
        devices = self.devices

        is_sample = self.is_sample

        untranslated = self.untranslated

        locales = []
        for locales_item_data in self.locales:
            locales_item = locales_item_data.to_dict()
            locales.append(locales_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "devices": devices,
                "is_sample": is_sample,
                "untranslated": untranslated,
                "locales": locales,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.audience_locales_locales_item import AudienceLocalesLocalesItem

        d = dict(src_dict)
        devices = d.pop("devices")

        is_sample = d.pop("is_sample")

        untranslated = d.pop("untranslated")

        locales = []
        _locales = d.pop("locales")
        for locales_item_data in _locales:
            locales_item = AudienceLocalesLocalesItem.from_dict(locales_item_data)

            locales.append(locales_item)

        audience_locales = cls(
            devices=devices,
            is_sample=is_sample,
            untranslated=untranslated,
            locales=locales,
        )

        return audience_locales
