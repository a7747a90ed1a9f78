from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="VersionRange")


@_attrs_define
class VersionRange:
    """A range of versions, as numbers or texts: `{"gte": "3.9"}`.

    Attributes:
        gt (float | str | Unset):
        gte (float | str | Unset):
        lt (float | str | Unset):
        lte (float | str | Unset):
    """

    gt: float | str | Unset = UNSET
    gte: float | str | Unset = UNSET
    lt: float | str | Unset = UNSET
    lte: float | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        gt: float | str | Unset
        if isinstance(self.gt, Unset):
            gt = UNSET
        else:
            gt = self.gt

        gte: float | str | Unset
        if isinstance(self.gte, Unset):
            gte = UNSET
        else:
            gte = self.gte

        lt: float | str | Unset
        if isinstance(self.lt, Unset):
            lt = UNSET
        else:
            lt = self.lt

        lte: float | str | Unset
        if isinstance(self.lte, Unset):
            lte = UNSET
        else:
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

        def _parse_gt(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        gt = _parse_gt(d.pop("gt", UNSET))

        def _parse_gte(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        gte = _parse_gte(d.pop("gte", UNSET))

        def _parse_lt(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        lt = _parse_lt(d.pop("lt", UNSET))

        def _parse_lte(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        lte = _parse_lte(d.pop("lte", UNSET))

        version_range = cls(
            gt=gt,
            gte=gte,
            lt=lt,
            lte=lte,
        )

        return version_range
