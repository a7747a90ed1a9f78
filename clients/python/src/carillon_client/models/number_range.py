from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="NumberRange")


@_attrs_define
class NumberRange:
    """A range of numbers.

    Attributes:
        gt (float | Unset):
        gte (float | Unset):
        lt (float | Unset):
        lte (float | Unset):
    """

    gt: float | Unset = UNSET
    gte: float | Unset = UNSET
    lt: float | Unset = UNSET
    lte: float | Unset = UNSET

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

        number_range = cls(
            gt=gt,
            gte=gte,
            lt=lt,
            lte=lte,
        )

        return number_range
