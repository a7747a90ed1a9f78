from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.planned_waves_waves_item import PlannedWavesWavesItem


T = TypeVar("T", bound="PlannedWaves")


@_attrs_define
class PlannedWaves:
    """
    Attributes:
        devices (int): The devices of all waves.
        waves (list[PlannedWavesWavesItem]): Sorted by time.
    """

    devices: int
    waves: list[PlannedWavesWavesItem]

    def to_dict(self) -> dict[str, Any]:
        devices = self.devices

        waves = []
        for waves_item_data in self.waves:
            waves_item = waves_item_data.to_dict()
            waves.append(waves_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "devices": devices,
                "waves": waves,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.planned_waves_waves_item import PlannedWavesWavesItem

        d = dict(src_dict)
        devices = d.pop("devices")

        waves = []
        _waves = d.pop("waves")
        for waves_item_data in _waves:
            waves_item = PlannedWavesWavesItem.from_dict(waves_item_data)

            waves.append(waves_item)

        planned_waves = cls(
            devices=devices,
            waves=waves,
        )

        return planned_waves
