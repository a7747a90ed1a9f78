from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.found_delivery_outcome import (
    FoundDeliveryOutcome,
    check_found_delivery_outcome,
)
from ..models.found_delivery_platform_type_0 import (
    FoundDeliveryPlatformType0,
    check_found_delivery_platform_type_0,
)

T = TypeVar("T", bound="FoundDelivery")


@_attrs_define
class FoundDelivery:
    """
    Attributes:
        device_id (UUID):
        outcome (FoundDeliveryOutcome):
        reason (None | str): The code or text with which the push was refused.
        at (datetime.datetime):
        platform (FoundDeliveryPlatformType0 | None): Null if the device was erased.
        app_version (None | str): Of the device now.
        variant (None | str): The variant of the device, or `hold_out`; null if the notification is no A/B test.
    """

    device_id: UUID
    outcome: FoundDeliveryOutcome
    reason: None | str
    at: datetime.datetime
    platform: FoundDeliveryPlatformType0 | None
    app_version: None | str
    variant: None | str

    def to_dict(self) -> dict[str, Any]:
        device_id = str(self.device_id)

        outcome: str = self.outcome

        reason: None | str
        reason = self.reason

        at = self.at.isoformat()

        platform: None | str
        if isinstance(self.platform, str):
            platform = self.platform
        else:
            platform = self.platform

        app_version: None | str
        app_version = self.app_version

        variant: None | str
        variant = self.variant

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "device_id": device_id,
                "outcome": outcome,
                "reason": reason,
                "at": at,
                "platform": platform,
                "app_version": app_version,
                "variant": variant,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        device_id = UUID(d.pop("device_id"))

        outcome = check_found_delivery_outcome(d.pop("outcome"))

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        at = datetime.datetime.fromisoformat(d.pop("at"))

        def _parse_platform(data: object) -> FoundDeliveryPlatformType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                platform_type_0 = check_found_delivery_platform_type_0(data)

                return platform_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(FoundDeliveryPlatformType0 | None, data)

        platform = _parse_platform(d.pop("platform"))

        def _parse_app_version(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        app_version = _parse_app_version(d.pop("app_version"))

        def _parse_variant(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        variant = _parse_variant(d.pop("variant"))

        found_delivery = cls(
            device_id=device_id,
            outcome=outcome,
            reason=reason,
            at=at,
            platform=platform,
            app_version=app_version,
            variant=variant,
        )

        return found_delivery
