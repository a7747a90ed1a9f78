from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="NotificationPreviewCompiledType0VariantsItem")


@_attrs_define
class NotificationPreviewCompiledType0VariantsItem:
    """
    Attributes:
        name (str):
        share (float):
    """

    name: str
    share: float

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        share = self.share

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "share": share,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        share = d.pop("share")

        notification_preview_compiled_type_0_variants_item = cls(
            name=name,
            share=share,
        )

        return notification_preview_compiled_type_0_variants_item
