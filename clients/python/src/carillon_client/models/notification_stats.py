from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

T = TypeVar("T", bound="NotificationStats")


@_attrs_define
class NotificationStats:
    """
    Attributes:
        id (UUID):
        audience_id (None | UUID): Null if it was sent to a `device_id` or `user_id`: no audience is stored.
        push_text (None | str): The payload’s `alert`; null if it has none.
        published_time (datetime.datetime): The time at which sending began. Before that, the time at which it is due.
        direct_opens (int): Devices that opened the push itself. Other opens are not reported, so this equals `opens`.
        opens (int): Devices that opened it, each counted once.
        pushes_succeeded (int): Pushes that a gateway accepted.
        pushes_rejected (int): Pushes that a gateway refused for good: `rejected` and `unregistered`.
    """

    id: UUID
    audience_id: None | UUID
    push_text: None | str
    published_time: datetime.datetime
    direct_opens: int
    opens: int
    pushes_succeeded: int
    pushes_rejected: int

    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        audience_id: None | str
        if isinstance(self.audience_id, UUID):
            audience_id = str(self.audience_id)
        else:
            audience_id = self.audience_id

        push_text: None | str
        push_text = self.push_text

        published_time = self.published_time.isoformat()

        direct_opens = self.direct_opens

        opens = self.opens

        pushes_succeeded = self.pushes_succeeded

        pushes_rejected = self.pushes_rejected

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "audience_id": audience_id,
                "push_text": push_text,
                "published_time": published_time,
                "direct_opens": direct_opens,
                "opens": opens,
                "pushes_succeeded": pushes_succeeded,
                "pushes_rejected": pushes_rejected,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        id = UUID(d.pop("id"))

        def _parse_audience_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                audience_id_type_0 = UUID(data)

                return audience_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        audience_id = _parse_audience_id(d.pop("audience_id"))

        def _parse_push_text(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        push_text = _parse_push_text(d.pop("push_text"))

        published_time = datetime.datetime.fromisoformat(d.pop("published_time"))

        direct_opens = d.pop("direct_opens")

        opens = d.pop("opens")

        pushes_succeeded = d.pop("pushes_succeeded")

        pushes_rejected = d.pop("pushes_rejected")

        notification_stats = cls(
            id=id,
            audience_id=audience_id,
            push_text=push_text,
            published_time=published_time,
            direct_opens=direct_opens,
            opens=opens,
            pushes_succeeded=pushes_succeeded,
            pushes_rejected=pushes_rejected,
        )

        return notification_stats
