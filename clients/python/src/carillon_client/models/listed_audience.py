from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.listed_audience_kind import ListedAudienceKind, check_listed_audience_kind

if TYPE_CHECKING:
    from ..models.listed_audience_filters_type_0_item import (
        ListedAudienceFiltersType0Item,
    )


T = TypeVar("T", bound="ListedAudience")


@_attrs_define
class ListedAudience:
    """
    Attributes:
        id (UUID):
        name (str):
        created_at (datetime.datetime):
        updated_at (datetime.datetime):
        test (bool): Always false; kept for clients that expect it.
        kind (ListedAudienceKind): `everyone`: all devices; `on_the_fly`: made by a notification; `named`: created by
            name.
        last_used_at (datetime.datetime): When it was last targeted or read, to the day.
        filters (list[ListedAudienceFiltersType0Item] | None): Null if they are longer than 4,000 characters of JSON:
            read the audience.
    """

    id: UUID
    name: str
    created_at: datetime.datetime
    updated_at: datetime.datetime
    test: bool
    kind: ListedAudienceKind
    last_used_at: datetime.datetime
    filters: list[ListedAudienceFiltersType0Item] | None

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        name = self.name

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        test = self.test

        kind: str = self.kind

        last_used_at = self.last_used_at.isoformat()

        filters: list[dict[str, Any]] | None
        if isinstance(self.filters, list):
            filters = []
            for filters_type_0_item_data in self.filters:
                filters_type_0_item = filters_type_0_item_data.to_dict()
                filters.append(filters_type_0_item)

        else:
            filters = self.filters

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "name": name,
                "created_at": created_at,
                "updated_at": updated_at,
                "test": test,
                "kind": kind,
                "last_used_at": last_used_at,
                "filters": filters,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.listed_audience_filters_type_0_item import (
            ListedAudienceFiltersType0Item,
        )

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        name = d.pop("name")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        test = d.pop("test")

        kind = check_listed_audience_kind(d.pop("kind"))

        last_used_at = datetime.datetime.fromisoformat(d.pop("last_used_at"))

        def _parse_filters(data: object) -> list[ListedAudienceFiltersType0Item] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                filters_type_0 = []
                _filters_type_0 = data
                for filters_type_0_item_data in _filters_type_0:
                    filters_type_0_item = ListedAudienceFiltersType0Item.from_dict(
                        filters_type_0_item_data
                    )

                    filters_type_0.append(filters_type_0_item)

                return filters_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ListedAudienceFiltersType0Item] | None, data)

        filters = _parse_filters(d.pop("filters"))

        listed_audience = cls(
            id=id,
            name=name,
            created_at=created_at,
            updated_at=updated_at,
            test=test,
            kind=kind,
            last_used_at=last_used_at,
            filters=filters,
        )

        return listed_audience
