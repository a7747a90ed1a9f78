from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.device_outcome import DeviceOutcome
    from ..models.device_outcomes_meta import DeviceOutcomesMeta


T = TypeVar("T", bound="DeviceOutcomes")


@_attrs_define
class DeviceOutcomes:
    """
    Attributes:
        outcomes (list[DeviceOutcome]):
        meta (DeviceOutcomesMeta):
    """

    outcomes: list[DeviceOutcome]
    meta: DeviceOutcomesMeta

    def to_dict(self) -> dict[str, Any]:
        outcomes = []
        for outcomes_item_data in self.outcomes:
            outcomes_item = outcomes_item_data.to_dict()
            outcomes.append(outcomes_item)

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "outcomes": outcomes,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.device_outcome import DeviceOutcome
        from ..models.device_outcomes_meta import DeviceOutcomesMeta

        d = dict(src_dict)
        outcomes = []
        _outcomes = d.pop("outcomes")
        for outcomes_item_data in _outcomes:
            outcomes_item = DeviceOutcome.from_dict(outcomes_item_data)

            outcomes.append(outcomes_item)

        meta = DeviceOutcomesMeta.from_dict(d.pop("meta"))

        device_outcomes = cls(
            outcomes=outcomes,
            meta=meta,
        )

        return device_outcomes
