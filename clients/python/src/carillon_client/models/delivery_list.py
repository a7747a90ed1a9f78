from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.delivery_list_meta import DeliveryListMeta
    from ..models.found_delivery import FoundDelivery


T = TypeVar("T", bound="DeliveryList")


@_attrs_define
class DeliveryList:
    """
    Attributes:
        deliveries (list[FoundDelivery]):
        meta (DeliveryListMeta):
    """

    deliveries: list[FoundDelivery]
    meta: DeliveryListMeta

    def to_dict(self) -> dict[str, Any]:
        deliveries = []
        for deliveries_item_data in self.deliveries:
            deliveries_item = deliveries_item_data.to_dict()
            deliveries.append(deliveries_item)

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "deliveries": deliveries,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.delivery_list_meta import DeliveryListMeta
        from ..models.found_delivery import FoundDelivery

        d = dict(src_dict)
        deliveries = []
        _deliveries = d.pop("deliveries")
        for deliveries_item_data in _deliveries:
            deliveries_item = FoundDelivery.from_dict(deliveries_item_data)

            deliveries.append(deliveries_item)

        meta = DeliveryListMeta.from_dict(d.pop("meta"))

        delivery_list = cls(
            deliveries=deliveries,
            meta=meta,
        )

        return delivery_list
