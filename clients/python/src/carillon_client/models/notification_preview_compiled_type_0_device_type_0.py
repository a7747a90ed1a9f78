from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

from ..models.notification_preview_compiled_type_0_device_type_0_dropped_type_0 import (
    NotificationPreviewCompiledType0DeviceType0DroppedType0,
    check_notification_preview_compiled_type_0_device_type_0_dropped_type_0,
)
from ..models.notification_preview_compiled_type_0_device_type_0_variant_by_type_0 import (
    NotificationPreviewCompiledType0DeviceType0VariantByType0,
    check_notification_preview_compiled_type_0_device_type_0_variant_by_type_0,
)

if TYPE_CHECKING:
    from ..models.notification_preview_compiled_type_0_device_type_0_apns import (
        NotificationPreviewCompiledType0DeviceType0Apns,
    )
    from ..models.notification_preview_compiled_type_0_device_type_0_fcm_type_0 import (
        NotificationPreviewCompiledType0DeviceType0FcmType0,
    )


T = TypeVar("T", bound="NotificationPreviewCompiledType0DeviceType0")


@_attrs_define
class NotificationPreviewCompiledType0DeviceType0:
    """
    Attributes:
        apns (NotificationPreviewCompiledType0DeviceType0Apns):
        fcm (None | NotificationPreviewCompiledType0DeviceType0FcmType0): Null if it is sent to tokens that only iOS
            has: those of Live Activities and of some push types.
        id (UUID):
        variant (None | str): The variant that is shown, or `hold_out` if nothing would be sent to the device; null if
            the notification is no A/B test.
        variant_by (None | NotificationPreviewCompiledType0DeviceType0VariantByType0): Why that variant: `experiment`:
            the device gets it, because the name of the experiment decides. `request`: the preview asks for it. `none`: the
            first one is shown; the id of the notification decides, and it has none before it is created. Null if the
            notification is no A/B test.
        locale (None | str): The locale of `localized` that its texts are from; null: those of `payload`.
        dropped (None | NotificationPreviewCompiledType0DeviceType0DroppedType0): Why nothing would be sent to the
            device; null if it would get the push.
    """

    apns: NotificationPreviewCompiledType0DeviceType0Apns
    fcm: None | NotificationPreviewCompiledType0DeviceType0FcmType0
    id: UUID
    variant: None | str
    variant_by: None | NotificationPreviewCompiledType0DeviceType0VariantByType0
    locale: None | str
    dropped: None | NotificationPreviewCompiledType0DeviceType0DroppedType0

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_preview_compiled_type_0_device_type_0_fcm_type_0 import (
            NotificationPreviewCompiledType0DeviceType0FcmType0,
        )

        apns = self.apns.to_dict()

        fcm: dict[str, Any] | None
        if isinstance(self.fcm, NotificationPreviewCompiledType0DeviceType0FcmType0):
            fcm = self.fcm.to_dict()
        else:
            fcm = self.fcm

        id = str(self.id)

        variant: None | str
        variant = self.variant

        variant_by: None | str
        if isinstance(self.variant_by, str):
            variant_by = self.variant_by
        else:
            variant_by = self.variant_by

        locale: None | str
        locale = self.locale

        dropped: None | str
        if isinstance(self.dropped, str):
            dropped = self.dropped
        else:
            dropped = self.dropped

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "apns": apns,
                "fcm": fcm,
                "id": id,
                "variant": variant,
                "variant_by": variant_by,
                "locale": locale,
                "dropped": dropped,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_preview_compiled_type_0_device_type_0_apns import (
            NotificationPreviewCompiledType0DeviceType0Apns,
        )
        from ..models.notification_preview_compiled_type_0_device_type_0_fcm_type_0 import (
            NotificationPreviewCompiledType0DeviceType0FcmType0,
        )

        d = dict(src_dict)
        apns = NotificationPreviewCompiledType0DeviceType0Apns.from_dict(d.pop("apns"))

        def _parse_fcm(
            data: object,
        ) -> None | NotificationPreviewCompiledType0DeviceType0FcmType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                fcm_type_0 = (
                    NotificationPreviewCompiledType0DeviceType0FcmType0.from_dict(data)
                )

                return fcm_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                None | NotificationPreviewCompiledType0DeviceType0FcmType0, data
            )

        fcm = _parse_fcm(d.pop("fcm"))

        id = UUID(d.pop("id"))

        def _parse_variant(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        variant = _parse_variant(d.pop("variant"))

        def _parse_variant_by(
            data: object,
        ) -> None | NotificationPreviewCompiledType0DeviceType0VariantByType0:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                variant_by_type_0 = check_notification_preview_compiled_type_0_device_type_0_variant_by_type_0(
                    data
                )

                return variant_by_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                None | NotificationPreviewCompiledType0DeviceType0VariantByType0, data
            )

        variant_by = _parse_variant_by(d.pop("variant_by"))

        def _parse_locale(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        locale = _parse_locale(d.pop("locale"))

        def _parse_dropped(
            data: object,
        ) -> None | NotificationPreviewCompiledType0DeviceType0DroppedType0:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                dropped_type_0 = check_notification_preview_compiled_type_0_device_type_0_dropped_type_0(
                    data
                )

                return dropped_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                None | NotificationPreviewCompiledType0DeviceType0DroppedType0, data
            )

        dropped = _parse_dropped(d.pop("dropped"))

        notification_preview_compiled_type_0_device_type_0 = cls(
            apns=apns,
            fcm=fcm,
            id=id,
            variant=variant,
            variant_by=variant_by,
            locale=locale,
            dropped=dropped,
        )

        return notification_preview_compiled_type_0_device_type_0
