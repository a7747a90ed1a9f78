from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.audience_list_meta import AudienceListMeta
    from ..models.listed_audience import ListedAudience


T = TypeVar("T", bound="AudienceList")


@_attrs_define
class AudienceList:
    """
    Attributes:
        audiences (list[ListedAudience]):
        meta (AudienceListMeta):
    """

    audiences: list[ListedAudience]
    meta: AudienceListMeta

    def to_dict(self) -> dict[str, Any]:
        audiences = []
        for audiences_item_data in self.audiences:
            audiences_item = audiences_item_data.to_dict()
            audiences.append(audiences_item)

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "audiences": audiences,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.audience_list_meta import AudienceListMeta
        from ..models.listed_audience import ListedAudience

        d = dict(src_dict)
        audiences = []
        _audiences = d.pop("audiences")
        for audiences_item_data in _audiences:
            audiences_item = ListedAudience.from_dict(audiences_item_data)

            audiences.append(audiences_item)

        meta = AudienceListMeta.from_dict(d.pop("meta"))

        audience_list = cls(
            audiences=audiences,
            meta=meta,
        )

        return audience_list
