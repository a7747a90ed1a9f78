from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_preview_compiled_type_0_versions_item_apns import (
        NotificationPreviewCompiledType0VersionsItemApns,
    )
    from ..models.notification_preview_compiled_type_0_versions_item_fcm import (
        NotificationPreviewCompiledType0VersionsItemFcm,
    )


T = TypeVar("T", bound="NotificationPreviewCompiledType0VersionsItem")


@_attrs_define
class NotificationPreviewCompiledType0VersionsItem:
    """
    Attributes:
        apns (NotificationPreviewCompiledType0VersionsItemApns):
        fcm (NotificationPreviewCompiledType0VersionsItemFcm):
        variant (None | str): The name of the variant that it belongs to; null if the notification is no A/B test.
        locale (None | str): The locale of `localized` that its texts are from; null: those of `payload`.
    """

    apns: NotificationPreviewCompiledType0VersionsItemApns
    fcm: NotificationPreviewCompiledType0VersionsItemFcm
    variant: None | str
    locale: None | str

    def to_dict(self) -> dict[str, Any]:
        apns = self.apns.to_dict()

        fcm = self.fcm.to_dict()

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
        from ..models.notification_preview_compiled_type_0_versions_item_fcm import (
            NotificationPreviewCompiledType0VersionsItemFcm,
        )

        d = dict(src_dict)
        apns = NotificationPreviewCompiledType0VersionsItemApns.from_dict(d.pop("apns"))

        fcm = NotificationPreviewCompiledType0VersionsItemFcm.from_dict(d.pop("fcm"))

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
