from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.circle_unit import CircleUnit, check_circle_unit

if TYPE_CHECKING:
    from ..models.point import Point


T = TypeVar("T", bound="Circle")


@_attrs_define
class Circle:
    """A circle: its boundary is inside.

    Attributes:
        point (Point):
        distance (float):
        unit (CircleUnit):
    """

    point: Point
    distance: float
    unit: CircleUnit

    def to_dict(self) -> dict[str, Any]:
        point = self.point.to_dict()

        distance = self.distance

        unit: str = self.unit

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "point": point,
                "distance": distance,
                "unit": unit,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.point import Point

        d = dict(src_dict)
        point = Point.from_dict(d.pop("point"))

        distance = d.pop("distance")

        unit = check_circle_unit(d.pop("unit"))

        circle = cls(
            point=point,
            distance=distance,
            unit=unit,
        )

        return circle
