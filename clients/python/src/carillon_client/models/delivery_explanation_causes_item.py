from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.delivery_explanation_causes_item_code import (
    DeliveryExplanationCausesItemCode,
    check_delivery_explanation_causes_item_code,
)

T = TypeVar("T", bound="DeliveryExplanationCausesItem")


@_attrs_define
class DeliveryExplanationCausesItem:
    """
    Attributes:
        code (DeliveryExplanationCausesItemCode):
        sentence (str): The cause in a sentence for people. It may change.
        at (datetime.datetime | None): The time that the sentence is about, if there is one.
    """

    code: DeliveryExplanationCausesItemCode
    sentence: str
    at: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        code: str = self.code

        sentence = self.sentence

        at: None | str
        if isinstance(self.at, datetime.datetime):
            at = self.at.isoformat()
        else:
            at = self.at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "sentence": sentence,
                "at": at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        code = check_delivery_explanation_causes_item_code(d.pop("code"))

        sentence = d.pop("sentence")

        def _parse_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                at_type_0 = datetime.datetime.fromisoformat(data)

                return at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        at = _parse_at(d.pop("at"))

        delivery_explanation_causes_item = cls(
            code=code,
            sentence=sentence,
            at=at,
        )

        return delivery_explanation_causes_item
