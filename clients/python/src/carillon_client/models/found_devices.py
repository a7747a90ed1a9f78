from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.found_devices_devices_item import FoundDevicesDevicesItem


T = TypeVar("T", bound="FoundDevices")


@_attrs_define
class FoundDevices:
    """
    Attributes:
        devices (list[FoundDevicesDevicesItem]):
        more (bool): Whether there are more devices than these: at most 50 are returned.
        erased_at (datetime.datetime | None): If `query` is the id of an erased device: when it was erased.
    """

    devices: list[FoundDevicesDevicesItem]
    more: bool
    erased_at: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        devices = []
        for devices_item_data in self.devices:
            devices_item = devices_item_data.to_dict()
            devices.append(devices_item)

        more = self.more

        erased_at: None | str
        if isinstance(self.erased_at, datetime.datetime):
            erased_at = self.erased_at.isoformat()
        else:
            erased_at = self.erased_at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "devices": devices,
                "more": more,
                "erased_at": erased_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.found_devices_devices_item import FoundDevicesDevicesItem

        d = dict(src_dict)
        devices = []
        _devices = d.pop("devices")
        for devices_item_data in _devices:
            devices_item = FoundDevicesDevicesItem.from_dict(devices_item_data)

            devices.append(devices_item)

        more = d.pop("more")

        def _parse_erased_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                erased_at_type_0 = datetime.datetime.fromisoformat(data)

                return erased_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        erased_at = _parse_erased_at(d.pop("erased_at"))

        found_devices = cls(
            devices=devices,
            more=more,
            erased_at=erased_at,
        )

        return found_devices
