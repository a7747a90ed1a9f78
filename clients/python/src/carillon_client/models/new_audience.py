from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.boolean_filter import BooleanFilter
    from ..models.date_filter import DateFilter
    from ..models.event_filter import EventFilter
    from ..models.number_filter import NumberFilter
    from ..models.permission_filter import PermissionFilter
    from ..models.place_filter import PlaceFilter
    from ..models.text_filter import TextFilter
    from ..models.version_filter import VersionFilter


T = TypeVar("T", bound="NewAudience")


@_attrs_define
class NewAudience:
    """
    Attributes:
        name (str): Must not be `All devices` or begin with `api_audience_`: these names are reserved.
        filters (list[BooleanFilter | DateFilter | EventFilter | NumberFilter | PermissionFilter | PlaceFilter |
            TextFilter | VersionFilter]): All of them have to match.
    """

    name: str
    filters: list[
        BooleanFilter
        | DateFilter
        | EventFilter
        | NumberFilter
        | PermissionFilter
        | PlaceFilter
        | TextFilter
        | VersionFilter
    ]

    def to_dict(self) -> dict[str, Any]:
        from ..models.boolean_filter import BooleanFilter
        from ..models.date_filter import DateFilter
        from ..models.number_filter import NumberFilter
        from ..models.permission_filter import PermissionFilter
        from ..models.place_filter import PlaceFilter
        from ..models.text_filter import TextFilter
        from ..models.version_filter import VersionFilter

        name = self.name

        filters = []
        for filters_item_data in self.filters:
            filters_item: dict[str, Any]
            if (
                isinstance(filters_item_data, TextFilter)
                or isinstance(filters_item_data, PermissionFilter)
                or isinstance(filters_item_data, VersionFilter)
                or isinstance(filters_item_data, NumberFilter)
                or isinstance(filters_item_data, BooleanFilter)
                or isinstance(filters_item_data, DateFilter)
                or isinstance(filters_item_data, PlaceFilter)
            ):
                filters_item = filters_item_data.to_dict()
            else:
                filters_item = filters_item_data.to_dict()

            filters.append(filters_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "filters": filters,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.boolean_filter import BooleanFilter
        from ..models.date_filter import DateFilter
        from ..models.event_filter import EventFilter
        from ..models.number_filter import NumberFilter
        from ..models.permission_filter import PermissionFilter
        from ..models.place_filter import PlaceFilter
        from ..models.text_filter import TextFilter
        from ..models.version_filter import VersionFilter

        d = dict(src_dict)
        name = d.pop("name")

        filters = []
        _filters = d.pop("filters")
        for filters_item_data in _filters:

            def _parse_filters_item(
                data: object,
            ) -> (
                BooleanFilter
                | DateFilter
                | EventFilter
                | NumberFilter
                | PermissionFilter
                | PlaceFilter
                | TextFilter
                | VersionFilter
            ):
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_filter_type_0 = TextFilter.from_dict(data)

                    return componentsschemas_filter_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_filter_type_1 = PermissionFilter.from_dict(data)

                    return componentsschemas_filter_type_1
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_filter_type_2 = VersionFilter.from_dict(data)

                    return componentsschemas_filter_type_2
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_filter_type_3 = NumberFilter.from_dict(data)

                    return componentsschemas_filter_type_3
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_filter_type_4 = BooleanFilter.from_dict(data)

                    return componentsschemas_filter_type_4
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_filter_type_5 = DateFilter.from_dict(data)

                    return componentsschemas_filter_type_5
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_filter_type_6 = PlaceFilter.from_dict(data)

                    return componentsschemas_filter_type_6
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_filter_type_7 = EventFilter.from_dict(data)

                return componentsschemas_filter_type_7

            filters_item = _parse_filters_item(filters_item_data)

            filters.append(filters_item)

        new_audience = cls(
            name=name,
            filters=filters,
        )

        return new_audience
