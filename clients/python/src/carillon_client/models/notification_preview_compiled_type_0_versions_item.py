from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_preview_compiled_type_0_versions_item_apns import (
        NotificationPreviewCompiledType0VersionsItemApns,
    )
    from ..models.notification_preview_compiled_type_0_versions_item_fcm_type_0 import (
        NotificationPreviewCompiledType0VersionsItemFcmType0,
    )


T = TypeVar("T", bound="NotificationPreviewCompiledType0VersionsItem")


@_attrs_define
class NotificationPreviewCompiledType0VersionsItem:
    """
    Attributes:
        apns (NotificationPreviewCompiledType0VersionsItemApns):
        fcm (None | NotificationPreviewCompiledType0VersionsItemFcmType0): Null if it is sent to tokens that only iOS
            has: those of Live Activities and of some push types.
        variant (None | str): The name of the variant that it belongs to; null if the notification is no A/B test.
        locale (None | str): The locale of `localized` that its texts are from; null: those of `payload`.
    """

    apns: NotificationPreviewCompiledType0VersionsItemApns
    fcm: None | NotificationPreviewCompiledType0VersionsItemFcmType0
    variant: None | str
    locale: None | str

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_preview_compiled_type_0_versions_item_fcm_type_0 import (
            NotificationPreviewCompiledType0VersionsItemFcmType0,
        )

        apns = self.apns.to_dict()

        fcm: dict[str, Any] | None
        if isinstance(self.fcm, NotificationPreviewCompiledType0VersionsItemFcmType0):
            fcm = self.fcm.to_dict()
        else:
            fcm = self.fcm

        variant: None | str
        variant = self.variant

        locale: None | str
        locale = self.locale

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "apns": apns,
                "fcm": fcm,
                "variant": variant,
                "locale": locale,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_preview_compiled_type_0_versions_item_apns import (
            NotificationPreviewCompiledType0VersionsItemApns,
        )
        from ..models.notification_preview_compiled_type_0_versions_item_fcm_type_0 import (
            NotificationPreviewCompiledType0VersionsItemFcmType0,
        )

        d = dict(src_dict)
        apns = NotificationPreviewCompiledType0VersionsItemApns.from_dict(d.pop("apns"))

        def _parse_fcm(
            data: object,
        ) -> None | NotificationPreviewCompiledType0VersionsItemFcmType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                fcm_type_0 = (
                    NotificationPreviewCompiledType0VersionsItemFcmType0.from_dict(data)
                )

                return fcm_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                None | NotificationPreviewCompiledType0VersionsItemFcmType0, data
            )

        fcm = _parse_fcm(d.pop("fcm"))

        def _parse_variant(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        variant = _parse_variant(d.pop("variant"))

        def _parse_locale(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        locale = _parse_locale(d.pop("locale"))

        notification_preview_compiled_type_0_versions_item = cls(
            apns=apns,
            fcm=fcm,
            variant=variant,
            locale=locale,
        )

        return notification_preview_compiled_type_0_versions_item
