from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.reported_receipts_rejected_item import ReportedReceiptsRejectedItem


T = TypeVar("T", bound="ReportedReceipts")


@_attrs_define
class ReportedReceipts:
    """
    Attributes:
        accepted (int): Receipts that were stored, to be counted within seconds.
        rejected (list[ReportedReceiptsRejectedItem]): Those that are not valid. Sending them again does not help.
    """

    accepted: int
    rejected: list[ReportedReceiptsRejectedItem]

    def to_dict(self) -> dict[str, Any]:
        accepted = self.accepted

        rejected = []
        for rejected_item_data in self.rejected:
            rejected_item = rejected_item_data.to_dict()
            rejected.append(rejected_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "accepted": accepted,
                "rejected": rejected,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.reported_receipts_rejected_item import (
            ReportedReceiptsRejectedItem,
        )

        d = dict(src_dict)
        accepted = d.pop("accepted")

        rejected = []
        _rejected = d.pop("rejected")
        for rejected_item_data in _rejected:
            rejected_item = ReportedReceiptsRejectedItem.from_dict(rejected_item_data)

            rejected.append(rejected_item)

        reported_receipts = cls(
            accepted=accepted,
            rejected=rejected,
        )

        return reported_receipts
