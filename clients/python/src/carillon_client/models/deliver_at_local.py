from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.deliver_at_local_if_past import (
    DeliverAtLocalIfPast,
    check_deliver_at_local_if_past,
)
from ..types import UNSET, Unset

T = TypeVar("T", bound="DeliverAtLocal")


@_attrs_define
class DeliverAtLocal:
    """
    Attributes:
        time (str): What the clock of each device shows when it is sent to, without an offset. At most 30 days ahead.
        no_time_zone (str): For devices without a known time zone: the name of one, or `skip`, which leaves them out.
        if_past (DeliverAtLocalIfPast | Unset): For devices whose local time was past when the notification was created:
            send `now` (the default), `skip` them, or send at that local time of the `next_day`.
    """

    time: str
    no_time_zone: str
    if_past: DeliverAtLocalIfPast | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        time = self.time

        no_time_zone = self.no_time_zone

        if_past: str | Unset = UNSET
        if not isinstance(self.if_past, Unset):
            if_past = self.if_past

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "time": time,
                "no_time_zone": no_time_zone,
            }
        )
        if if_past is not UNSET:
            field_dict["if_past"] = if_past

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        time = d.pop("time")

        no_time_zone = d.pop("no_time_zone")

        _if_past = d.pop("if_past", UNSET)
        if_past: DeliverAtLocalIfPast | Unset
        if isinstance(_if_past, Unset):
            if_past = UNSET
        else:
            if_past = check_deliver_at_local_if_past(_if_past)

        deliver_at_local = cls(
            time=time,
            no_time_zone=no_time_zone,
            if_past=if_past,
        )

        return deliver_at_local
