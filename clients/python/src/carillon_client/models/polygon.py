from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.point import Point


T = TypeVar("T", bound="Polygon")


@_attrs_define
class Polygon:
    """An area: its last point joins its first.

    Attributes:
        polygon (list[Point]):
    """

    polygon: list[Point]

    def to_dict(self) -> dict[str, Any]:
        polygon = []
        for polygon_item_data in self.polygon:
            polygon_item = polygon_item_data.to_dict()
            polygon.append(polygon_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "polygon": polygon,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.point import Point

        d = dict(src_dict)
        polygon = []
        _polygon = d.pop("polygon")
        for polygon_item_data in _polygon:
            polygon_item = Point.from_dict(polygon_item_data)

            polygon.append(polygon_item)

        polygon = cls(
            polygon=polygon,
        )

        return polygon
