from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.payload_changes import PayloadChanges
    from ..models.variant_localized import VariantLocalized


T = TypeVar("T", bound="Variant")


@_attrs_define
class Variant:
    """
    Attributes:
        name (str): Names it in outcomes and reports.
        weight (int): Its share of the devices that are not held out is its weight by the sum of all weights.
        payload (PayloadChanges | Unset): Keys of a payload. A value replaces that of `payload`; null removes it.
        localized (VariantLocalized | Unset): Keys of `localized` that differ, by language tag. They come before those
            of `localized`.
    """

    name: str
    weight: int
    payload: PayloadChanges | Unset = UNSET
    localized: VariantLocalized | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        weight = self.weight

        payload: dict[str, Any] | Unset = UNSET
        if not isinstance(self.payload, Unset):
            payload = self.payload.to_dict()

        localized: dict[str, Any] | Unset = UNSET
        if not isinstance(self.localized, Unset):
            localized = self.localized.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "weight": weight,
            }
        )
        if payload is not UNSET:
            field_dict["payload"] = payload
        if localized is not UNSET:
            field_dict["localized"] = localized

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.payload_changes import PayloadChanges
        from ..models.variant_localized import VariantLocalized

        d = dict(src_dict)
        name = d.pop("name")

        weight = d.pop("weight")

        _payload = d.pop("payload", UNSET)
        payload: PayloadChanges | Unset
        if isinstance(_payload, Unset):
            payload = UNSET
        else:
            payload = PayloadChanges.from_dict(_payload)

        _localized = d.pop("localized", UNSET)
        localized: VariantLocalized | Unset
        if isinstance(_localized, Unset):
            localized = UNSET
        else:
            localized = VariantLocalized.from_dict(_localized)

        variant = cls(
            name=name,
            weight=weight,
            payload=payload,
            localized=localized,
        )

        return variant
