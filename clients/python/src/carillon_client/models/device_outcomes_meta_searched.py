from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="DeviceOutcomesMetaSearched")


@_attrs_define
class DeviceOutcomesMetaSearched:
    """The notifications of the app that this call searched, newest first: at most 500. An older one may have an outcome
    for the device as well.

        Attributes:
            notifications (int):
            no_longer_kept (int): Those of them whose outcomes by device are no longer kept.
            since (datetime.datetime | None): When the oldest of them was created; null if there is none.
    """

    notifications: int
    no_longer_kept: int
    since: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        notifications = self.notifications

        no_longer_kept = self.no_longer_kept

        since: None | str
        if isinstance(self.since, datetime.datetime):
            since = self.since.isoformat()
        else:
            since = self.since

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notifications": notifications,
                "no_longer_kept": no_longer_kept,
                "since": since,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        notifications = d.pop("notifications")

        no_longer_kept = d.pop("no_longer_kept")

        def _parse_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                since_type_0 = datetime.datetime.fromisoformat(data)

                return since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        since = _parse_since(d.pop("since"))

        device_outcomes_meta_searched = cls(
            notifications=notifications,
            no_longer_kept=no_longer_kept,
            since=since,
        )

        return device_outcomes_meta_searched
