from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="DateRange")


@_attrs_define
class DateRange:
    """A range of dates: `{"gte": "now-7d/d"}`.

    Attributes:
        gt (str | Unset): `now` or an ISO 8601 date, steps and a rounding: `now-1d/d`, `2026-01-31||+1M`.
        gte (str | Unset): `now` or an ISO 8601 date, steps and a rounding: `now-1d/d`, `2026-01-31||+1M`.
        lt (str | Unset): `now` or an ISO 8601 date, steps and a rounding: `now-1d/d`, `2026-01-31||+1M`.
        lte (str | Unset): `now` or an ISO 8601 date, steps and a rounding: `now-1d/d`, `2026-01-31||+1M`.
    """

    gt: str | Unset = UNSET
    gte: str | Unset = UNSET
    lt: str | Unset = UNSET
    lte: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        gt = self.gt

        gte = self.gte

        lt = self.lt

        lte = self.lte

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if gt is not UNSET:
            field_dict["gt"] = gt
        if gte is not UNSET:
            field_dict["gte"] = gte
        if lt is not UNSET:
            field_dict["lt"] = lt
        if lte is not UNSET:
            field_dict["lte"] = lte

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        gt = d.pop("gt", UNSET)

        gte = d.pop("gte", UNSET)

        lt = d.pop("lt", UNSET)

        lte = d.pop("lte", UNSET)

        date_range = cls(
            gt=gt,
            gte=gte,
            lt=lt,
            lte=lte,
        )

        return date_range
