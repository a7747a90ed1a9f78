from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_report_curve_points_item import (
        NotificationReportCurvePointsItem,
    )


T = TypeVar("T", bound="NotificationReportCurve")


@_attrs_define
class NotificationReportCurve:
    """
    Attributes:
        step_seconds (int): The length of a step; a curve has some 300 steps at most.
        points (list[NotificationReportCurvePointsItem]): Devices by the step in which their slice of about 1,000 ended;
            steps without any are left out.
    """

    step_seconds: int
    points: list[NotificationReportCurvePointsItem]

    def to_dict(self) -> dict[str, Any]:
        step_seconds = self.step_seconds

        points = []
        for points_item_data in self.points:
            points_item = points_item_data.to_dict()
            points.append(points_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "step_seconds": step_seconds,
                "points": points,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_report_curve_points_item import (
            NotificationReportCurvePointsItem,
        )

        d = dict(src_dict)
        step_seconds = d.pop("step_seconds")

        points = []
        _points = d.pop("points")
        for points_item_data in _points:
            points_item = NotificationReportCurvePointsItem.from_dict(points_item_data)

            points.append(points_item)

        notification_report_curve = cls(
            step_seconds=step_seconds,
            points=points,
        )

        return notification_report_curve
