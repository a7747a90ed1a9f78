from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="NotificationReportVariantsType0GroupsItemOutcomes")


@_attrs_define
class NotificationReportVariantsType0GroupsItemOutcomes:
    """
    Attributes:
        accepted (int):
        rejected (int):
        unregistered (int):
        no_token (int):
        ambiguous (int):
        dropped (int):
        expired (int):
        capped (int):
    """

    accepted: int
    rejected: int
    unregistered: int
    no_token: int
    ambiguous: int
    dropped: int
    expired: int
    capped: int

    def to_dict(self) -> dict[str, Any]:
        accepted = self.accepted

        rejected = self.rejected

        unregistered = self.unregistered

        no_token = self.no_token

        ambiguous = self.ambiguous

        dropped = self.dropped

        expired = self.expired

        capped = self.capped

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "accepted": accepted,
                "rejected": rejected,
                "unregistered": unregistered,
                "no_token": no_token,
                "ambiguous": ambiguous,
                "dropped": dropped,
                "expired": expired,
                "capped": capped,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        accepted = d.pop("accepted")

        rejected = d.pop("rejected")

        unregistered = d.pop("unregistered")

        no_token = d.pop("no_token")

        ambiguous = d.pop("ambiguous")

        dropped = d.pop("dropped")

        expired = d.pop("expired")

        capped = d.pop("capped")

        notification_report_variants_type_0_groups_item_outcomes = cls(
            accepted=accepted,
            rejected=rejected,
            unregistered=unregistered,
            no_token=no_token,
            ambiguous=ambiguous,
            dropped=dropped,
            expired=expired,
            capped=capped,
        )

        return notification_report_variants_type_0_groups_item_outcomes
