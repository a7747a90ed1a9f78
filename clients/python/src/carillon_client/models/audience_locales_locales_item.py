from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="AudienceLocalesLocalesItem")


@_attrs_define
class AudienceLocalesLocalesItem:
    """
    Attributes:
        locale (None | str): As the devices registered it; null: none.
        devices (int):
        translation (None | str): The best of the given translations; null: the default payload.
    """

    locale: None | str
    devices: int
    translation: None | str

    def to_dict(self) -> dict[str, Any]:
        locale: None | str
        locale = self.locale

        devices = self.devices

        translation: None | str
        translation = self.translation

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "locale": locale,
                "devices": devices,
                "translation": translation,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_locale(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        locale = _parse_locale(d.pop("locale"))

        devices = d.pop("devices")

        def _parse_translation(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        translation = _parse_translation(d.pop("translation"))

        audience_locales_locales_item = cls(
            locale=locale,
            devices=devices,
            translation=translation,
        )

        return audience_locales_locales_item
