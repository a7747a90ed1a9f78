from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.device_outcomes_meta_searched import DeviceOutcomesMetaSearched


T = TypeVar("T", bound="DeviceOutcomesMeta")


@_attrs_define
class DeviceOutcomesMeta:
    """
    Attributes:
        cursor (None | str): Continues the search; null if there are no older notifications.
        searched (DeviceOutcomesMetaSearched): The notifications of the app that this call searched, newest first: at
            most 500. An older one may have an outcome for the device as well.
    """

    cursor: None | str
    searched: DeviceOutcomesMetaSearched

    def to_dict(self) -> dict[str, Any]:
        cursor: None | str
        cursor = self.cursor

        searched = self.searched.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "cursor": cursor,
                "searched": searched,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.device_outcomes_meta_searched import DeviceOutcomesMetaSearched

        d = dict(src_dict)

        def _parse_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cursor = _parse_cursor(d.pop("cursor"))

        searched = DeviceOutcomesMetaSearched.from_dict(d.pop("searched"))

        device_outcomes_meta = cls(
            cursor=cursor,
            searched=searched,
        )

        return device_outcomes_meta
