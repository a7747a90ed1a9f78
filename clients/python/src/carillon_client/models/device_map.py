from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.device_map_cells_item import DeviceMapCellsItem


T = TypeVar("T", bound="DeviceMap")


@_attrs_define
class DeviceMap:
    """
    Attributes:
        cells (list[DeviceMapCellsItem]): Cells with at least 5 devices, those with most devices first.
        cell_degrees (float): The width of a cell in degrees of longitude.
        one_of (int): 1 if all devices were read. Of more than 250,000, one of 16 or 256 is read, and the counts are
            estimates.
        counted_at (datetime.datetime): Up to 5 minutes ago.
    """

    cells: list[DeviceMapCellsItem]
    cell_degrees: float
    one_of: int
    counted_at: datetime.datetime

    def to_dict(self) -> dict[str, Any]:
        cells = []
        for cells_item_data in self.cells:
            cells_item = cells_item_data.to_dict()
            cells.append(cells_item)

        cell_degrees = self.cell_degrees

        one_of = self.one_of

        counted_at = self.counted_at.isoformat()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "cells": cells,
                "cell_degrees": cell_degrees,
                "one_of": one_of,
                "counted_at": counted_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.device_map_cells_item import DeviceMapCellsItem

        d = dict(src_dict)
        cells = []
        _cells = d.pop("cells")
        for cells_item_data in _cells:
            cells_item = DeviceMapCellsItem.from_dict(cells_item_data)

            cells.append(cells_item)

        cell_degrees = d.pop("cell_degrees")

        one_of = d.pop("one_of")

        counted_at = datetime.datetime.fromisoformat(d.pop("counted_at"))

        device_map = cls(
            cells=cells,
            cell_degrees=cell_degrees,
            one_of=one_of,
            counted_at=counted_at,
        )

        return device_map
