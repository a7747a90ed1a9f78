from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.notification_report_variants_type_0_comparisons_item_rate import (
    NotificationReportVariantsType0ComparisonsItemRate,
    check_notification_report_variants_type_0_comparisons_item_rate,
)

T = TypeVar("T", bound="NotificationReportVariantsType0ComparisonsItem")


@_attrs_define
class NotificationReportVariantsType0ComparisonsItem:
    """
    Attributes:
        variant (str):
        with_ (str): The first variant.
        rate (NotificationReportVariantsType0ComparisonsItemRate):
        difference (float): Of the shares: 0.02 is 2 percentage points.
        low (float): The ends of the confidence interval, by Newcombe’s formula. With several variants it is wider
            (Bonferroni), so that all of them hold together with 95%.
        high (float):
        may_be_chance (bool): Whether the interval contains 0: then there may be no difference at all.
        sentence (str): The same for people.
    """

    variant: str
    with_: str
    rate: NotificationReportVariantsType0ComparisonsItemRate
    difference: float
    low: float
    high: float
    may_be_chance: bool
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        variant = self.variant

        with_ = self.with_

        rate: str = self.rate

        difference = self.difference

        low = self.low

        high = self.high

        may_be_chance = self.may_be_chance

        sentence = self.sentence

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "variant": variant,
                "with": with_,
                "rate": rate,
                "difference": difference,
                "low": low,
                "high": high,
                "may_be_chance": may_be_chance,
                "sentence": sentence,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        variant = d.pop("variant")

        with_ = d.pop("with")

        rate = check_notification_report_variants_type_0_comparisons_item_rate(
            d.pop("rate")
        )

        difference = d.pop("difference")

        low = d.pop("low")

        high = d.pop("high")

        may_be_chance = d.pop("may_be_chance")

        sentence = d.pop("sentence")

        notification_report_variants_type_0_comparisons_item = cls(
            variant=variant,
            with_=with_,
            rate=rate,
            difference=difference,
            low=low,
            high=high,
            may_be_chance=may_be_chance,
            sentence=sentence,
        )

        return notification_report_variants_type_0_comparisons_item
