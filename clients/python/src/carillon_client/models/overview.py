from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.overview_overview import OverviewOverview


T = TypeVar("T", bound="Overview")


@_attrs_define
class Overview:
    """
    Attributes:
        overview (OverviewOverview):
    """

    overview: OverviewOverview

    def to_dict(self) -> dict[str, Any]:
        overview = self.overview.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "overview": overview,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.overview_overview import OverviewOverview

        d = dict(src_dict)
        overview = OverviewOverview.from_dict(d.pop("overview"))

        overview = cls(
            overview=overview,
        )

        return overview
