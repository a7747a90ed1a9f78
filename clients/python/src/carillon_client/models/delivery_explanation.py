from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.delivery_explanation_outcome_type_0 import (
    DeliveryExplanationOutcomeType0,
    check_delivery_explanation_outcome_type_0,
)

if TYPE_CHECKING:
    from ..models.delivery_explanation_causes_item import DeliveryExplanationCausesItem
    from ..models.delivery_explanation_variant_type_0 import (
        DeliveryExplanationVariantType0,
    )
    from ..models.explanation import Explanation


T = TypeVar("T", bound="DeliveryExplanation")


@_attrs_define
class DeliveryExplanation:
    """
    Attributes:
        notification_id (UUID):
        device_id (UUID):
        outcome (DeliveryExplanationOutcomeType0 | None): The stored outcome of the device; null if there is none, or
            none yet.
        apns_unique_id (None | UUID): Apple’s id of the push, by which Apple’s Push Notifications Console shows what
            became of it. Only for development devices (Apple’s sandbox), after `accepted`; otherwise null.
        variant (DeliveryExplanationVariantType0 | None): The variant of the device; null if the notification is no A/B
            test, or nothing is known about the device.
        causes (list[DeliveryExplanationCausesItem]): The first one is the answer; the others go with it, in the order
            in which a notification meets them. After `accepted`, they are possible causes, because gateways do not report
            whether a phone shows a push.
        audience (Explanation | None): Whether the filters of the notification select the device as it is now; null if
            the app does not have the device.
    """

    notification_id: UUID
    device_id: UUID
    outcome: DeliveryExplanationOutcomeType0 | None
    apns_unique_id: None | UUID
    variant: DeliveryExplanationVariantType0 | None
    causes: list[DeliveryExplanationCausesItem]
    audience: Explanation | None

    def to_dict(self) -> dict[str, Any]:
        from ..models.delivery_explanation_variant_type_0 import (
            DeliveryExplanationVariantType0,
        )
        from ..models.explanation import Explanation

        notification_id = str(self.notification_id)

        device_id = str(self.device_id)

        outcome: None | str
        if isinstance(self.outcome, str):
            outcome = self.outcome
        else:
            outcome = self.outcome

        apns_unique_id: None | str
        if isinstance(self.apns_unique_id, UUID):
            apns_unique_id = str(self.apns_unique_id)
        else:
            apns_unique_id = self.apns_unique_id

        variant: dict[str, Any] | None
        if isinstance(self.variant, DeliveryExplanationVariantType0):
            variant = self.variant.to_dict()
        else:
            variant = self.variant

        causes = []
        for causes_item_data in self.causes:
            causes_item = causes_item_data.to_dict()
            causes.append(causes_item)

        audience: dict[str, Any] | None
        if isinstance(self.audience, Explanation):
            audience = self.audience.to_dict()
        else:
            audience = self.audience

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notification_id": notification_id,
                "device_id": device_id,
                "outcome": outcome,
                "apns_unique_id": apns_unique_id,
                "variant": variant,
                "causes": causes,
                "audience": audience,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.delivery_explanation_causes_item import (
            DeliveryExplanationCausesItem,
        )
        from ..models.delivery_explanation_variant_type_0 import (
            DeliveryExplanationVariantType0,
        )
        from ..models.explanation import Explanation

        d = dict(src_dict)
        notification_id = UUID(d.pop("notification_id"))

        device_id = UUID(d.pop("device_id"))

        def _parse_outcome(data: object) -> DeliveryExplanationOutcomeType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                outcome_type_0 = check_delivery_explanation_outcome_type_0(data)

                return outcome_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeliveryExplanationOutcomeType0 | None, data)

        outcome = _parse_outcome(d.pop("outcome"))

        def _parse_apns_unique_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                apns_unique_id_type_0 = UUID(data)

                return apns_unique_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        apns_unique_id = _parse_apns_unique_id(d.pop("apns_unique_id"))

        def _parse_variant(data: object) -> DeliveryExplanationVariantType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                variant_type_0 = DeliveryExplanationVariantType0.from_dict(data)

                return variant_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DeliveryExplanationVariantType0 | None, data)

        variant = _parse_variant(d.pop("variant"))

        causes = []
        _causes = d.pop("causes")
        for causes_item_data in _causes:
            causes_item = DeliveryExplanationCausesItem.from_dict(causes_item_data)

            causes.append(causes_item)

        def _parse_audience(data: object) -> Explanation | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                audience_type_0 = Explanation.from_dict(data)

                return audience_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Explanation | None, data)

        audience = _parse_audience(d.pop("audience"))

        delivery_explanation = cls(
            notification_id=notification_id,
            device_id=device_id,
            outcome=outcome,
            apns_unique_id=apns_unique_id,
            variant=variant,
            causes=causes,
            audience=audience,
        )

        return delivery_explanation
