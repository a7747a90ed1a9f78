from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="DeliveryExplanationVariantType0")


@_attrs_define
class DeliveryExplanationVariantType0:
    """
    Attributes:
        name (str): The variant, or `hold_out`.
        sentence (str): Why, in a sentence for people. It may change.
    """

    name: str
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        sentence = self.sentence

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "sentence": sentence,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        sentence = d.pop("sentence")

        delivery_explanation_variant_type_0 = cls(
            name=name,
            sentence=sentence,
        )

        return delivery_explanation_variant_type_0
