from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import UUID

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.audience_audience_filters_item import AudienceAudienceFiltersItem


T = TypeVar("T", bound="AudienceAudience")


@_attrs_define
class AudienceAudience:
    """
    Attributes:
        id (UUID):
        name (str):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        test (bool): Always false; kept for clients that expect it.
        device_count (int): All devices that match, including those without a push token. Exact; for a large audience it
            may be a few seconds old.
        reachable_count (int): The devices among them that have a push token, counted at the same moment.
        filters (list[AudienceAudienceFiltersItem]): In canonical form: with defaults, in a fixed order, without
            duplicates.
    """

    id: UUID
    name: str
    created_at: datetime.datetime
    updated_at: datetime.datetime
    test: bool
    device_count: int
    reachable_count: int
    filters: list[AudienceAudienceFiltersItem]

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        name = self.name

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        test = self.test

        device_count = self.device_count

        reachable_count = self.reachable_count

        filters = []
        for filters_item_data in self.filters:
            filters_item = filters_item_data.to_dict()
            filters.append(filters_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "name": name,
                "created_at": created_at,
                "updated_at": updated_at,
                "test": test,
                "device_count": device_count,
                "reachable_count": reachable_count,
                "filters": filters,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.audience_audience_filters_item import AudienceAudienceFiltersItem

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        name = d.pop("name")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        test = d.pop("test")

        device_count = d.pop("device_count")

        reachable_count = d.pop("reachable_count")

        filters = []
        _filters = d.pop("filters")
        for filters_item_data in _filters:
            filters_item = AudienceAudienceFiltersItem.from_dict(filters_item_data)

            filters.append(filters_item)

        audience_audience = cls(
            id=id,
            name=name,
            created_at=created_at,
            updated_at=updated_at,
            test=test,
            device_count=device_count,
            reachable_count=reachable_count,
            filters=filters,
        )

        return audience_audience
