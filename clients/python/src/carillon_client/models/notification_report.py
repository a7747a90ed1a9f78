from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_report_curve import NotificationReportCurve
    from ..models.notification_report_funnel import NotificationReportFunnel
    from ..models.notification_report_reasons_item import NotificationReportReasonsItem
    from ..models.notification_report_variants_type_0 import (
        NotificationReportVariantsType0,
    )


T = TypeVar("T", bound="NotificationReport")


@_attrs_define
class NotificationReport:
    """
    Attributes:
        notification_id (UUID):
        reasons (list[NotificationReportReasonsItem]): The reasons of all outcomes but `accepted`, the most frequent
            first.
        uncounted (int): Devices with such an outcome whose reason is not counted: it was stored a moment ago, is no
            longer kept (`KEEP_DELIVERIES_DAYS`), or was stored by an earlier release.
        funnel (NotificationReportFunnel): How far the notification got, by the receipts of devices.
        variants (None | NotificationReportVariantsType0): The numbers of an A/B test; null if the notification has no
            `variants`.
        curve (NotificationReportCurve):
    """

    notification_id: UUID
    reasons: list[NotificationReportReasonsItem]
    uncounted: int
    funnel: NotificationReportFunnel
    variants: None | NotificationReportVariantsType0
    curve: NotificationReportCurve

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_report_variants_type_0 import (
            NotificationReportVariantsType0,
        )

        notification_id = str(self.notification_id)

        reasons = []
        for reasons_item_data in self.reasons:
            reasons_item = reasons_item_data.to_dict()
            reasons.append(reasons_item)

        uncounted = self.uncounted

        funnel = self.funnel.to_dict()

        variants: dict[str, Any] | None
        if isinstance(self.variants, NotificationReportVariantsType0):
            variants = self.variants.to_dict()
        else:
            variants = self.variants

        curve = self.curve.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notification_id": notification_id,
                "reasons": reasons,
                "uncounted": uncounted,
                "funnel": funnel,
                "variants": variants,
                "curve": curve,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_report_curve import NotificationReportCurve
        from ..models.notification_report_funnel import NotificationReportFunnel
        from ..models.notification_report_reasons_item import (
            NotificationReportReasonsItem,
        )
        from ..models.notification_report_variants_type_0 import (
            NotificationReportVariantsType0,
        )

        d = dict(src_dict)
        notification_id = UUID(d.pop("notification_id"))

        reasons = []
        _reasons = d.pop("reasons")
        for reasons_item_data in _reasons:
            reasons_item = NotificationReportReasonsItem.from_dict(reasons_item_data)

            reasons.append(reasons_item)

        uncounted = d.pop("uncounted")

        funnel = NotificationReportFunnel.from_dict(d.pop("funnel"))

        def _parse_variants(data: object) -> None | NotificationReportVariantsType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                variants_type_0 = NotificationReportVariantsType0.from_dict(data)

                return variants_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationReportVariantsType0, data)

        variants = _parse_variants(d.pop("variants"))

        curve = NotificationReportCurve.from_dict(d.pop("curve"))

        notification_report = cls(
            notification_id=notification_id,
            reasons=reasons,
            uncounted=uncounted,
            funnel=funnel,
            variants=variants,
            curve=curve,
        )

        return notification_report
