from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="NotificationListMeta")


@_attrs_define
class NotificationListMeta:
    """
    Attributes:
        cursor (None | str): Leads to the next page; null on the last one. A page may have fewer than `per`, even none.
        newest (None | str): The position of the first one, for `GET /v6/notifications/newer`; null if there is none.
        searched_until (datetime.datetime | None): With `state` or `text`: a page searches at most 10000 notifications.
            If the search stopped there, this is when the last of them was created, and `cursor` continues from it; null
            otherwise.
    """

    cursor: None | str
    newest: None | str
    searched_until: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        cursor: None | str
        cursor = self.cursor

        newest: None | str
        newest = self.newest

        searched_until: None | str
        if isinstance(self.searched_until, datetime.datetime):
            searched_until = self.searched_until.isoformat()
        else:
            searched_until = self.searched_until

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "cursor": cursor,
                "newest": newest,
                "searched_until": searched_until,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cursor = _parse_cursor(d.pop("cursor"))

        def _parse_newest(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        newest = _parse_newest(d.pop("newest"))

        def _parse_searched_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                searched_until_type_0 = datetime.datetime.fromisoformat(data)

                return searched_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        searched_until = _parse_searched_until(d.pop("searched_until"))

        notification_list_meta = cls(
            cursor=cursor,
            newest=newest,
            searched_until=searched_until,
        )

        return notification_list_meta
