from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_preview_compiled_type_0_apns import (
        NotificationPreviewCompiledType0Apns,
    )
    from ..models.notification_preview_compiled_type_0_device_type_0 import (
        NotificationPreviewCompiledType0DeviceType0,
    )
    from ..models.notification_preview_compiled_type_0_fcm_type_0 import (
        NotificationPreviewCompiledType0FcmType0,
    )
    from ..models.notification_preview_compiled_type_0_variants_item import (
        NotificationPreviewCompiledType0VariantsItem,
    )
    from ..models.notification_preview_compiled_type_0_versions_item import (
        NotificationPreviewCompiledType0VersionsItem,
    )


T = TypeVar("T", bound="NotificationPreviewCompiledType0")


@_attrs_define
class NotificationPreviewCompiledType0:
    """
    Attributes:
        notification_id (Literal['00000000-0000-0000-0000-000000000000']): Stands in for the id of the notification,
            which has the same length.
        due_at (datetime.datetime): The time from which the time to live counts: `deliver_at`, or now.
        bytes_max (Literal[4096]): Of nearly all pushes. Apple takes more of some push types, and `bytes_left` counts
            with that.
        apns (NotificationPreviewCompiledType0Apns):
        fcm (None | NotificationPreviewCompiledType0FcmType0): Null if it is sent to tokens that only iOS has: those of
            Live Activities and of some push types.
        versions (list[NotificationPreviewCompiledType0VersionsItem]): What devices get in place of the first payload,
            by variant and locale; empty if every device gets the same.
        variants (list[NotificationPreviewCompiledType0VariantsItem]): The share of the audience for each variant, and
            for `hold_out`; empty if it is no A/B test.
        variant (None | str): The name of the variant that it belongs to; null if the notification is no A/B test.
        device (None | NotificationPreviewCompiledType0DeviceType0): What the device with `device_id` gets; null without
            one.
    """

    notification_id: Literal["00000000-0000-0000-0000-000000000000"]
    due_at: datetime.datetime
    bytes_max: Literal[4096]
    apns: NotificationPreviewCompiledType0Apns
    fcm: None | NotificationPreviewCompiledType0FcmType0
    versions: list[NotificationPreviewCompiledType0VersionsItem]
    variants: list[NotificationPreviewCompiledType0VariantsItem]
    variant: None | str
    device: None | NotificationPreviewCompiledType0DeviceType0

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_preview_compiled_type_0_device_type_0 import (
            NotificationPreviewCompiledType0DeviceType0,
        )
        from ..models.notification_preview_compiled_type_0_fcm_type_0 import (
            NotificationPreviewCompiledType0FcmType0,
        )

        notification_id = self.notification_id

        due_at = self.due_at.isoformat()

        bytes_max = self.bytes_max

        apns = self.apns.to_dict()

        fcm: dict[str, Any] | None
        if isinstance(self.fcm, NotificationPreviewCompiledType0FcmType0):
            fcm = self.fcm.to_dict()
        else:
            fcm = self.fcm

        versions = []
        for versions_item_data in self.versions:
            versions_item = versions_item_data.to_dict()
            versions.append(versions_item)

        variants = []
        for variants_item_data in self.variants:
            variants_item = variants_item_data.to_dict()
            variants.append(variants_item)

        variant: None | str
        variant = self.variant

        device: dict[str, Any] | None
        if isinstance(self.device, NotificationPreviewCompiledType0DeviceType0):
            device = self.device.to_dict()
        else:
            device = self.device

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "notification_id": notification_id,
                "due_at": due_at,
                "bytes_max": bytes_max,
                "apns": apns,
                "fcm": fcm,
                "versions": versions,
                "variants": variants,
                "variant": variant,
                "device": device,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_preview_compiled_type_0_apns import (
            NotificationPreviewCompiledType0Apns,
        )
        from ..models.notification_preview_compiled_type_0_device_type_0 import (
            NotificationPreviewCompiledType0DeviceType0,
        )
        from ..models.notification_preview_compiled_type_0_fcm_type_0 import (
            NotificationPreviewCompiledType0FcmType0,
        )
        from ..models.notification_preview_compiled_type_0_variants_item import (
            NotificationPreviewCompiledType0VariantsItem,
        )
        from ..models.notification_preview_compiled_type_0_versions_item import (
            NotificationPreviewCompiledType0VersionsItem,
        )

        d = dict(src_dict)
        notification_id = cast(
            Literal["00000000-0000-0000-0000-000000000000"], d.pop("notification_id")
        )
        if notification_id != "00000000-0000-0000-0000-000000000000":
            raise ValueError(
                f"notification_id must match const '00000000-0000-0000-0000-000000000000', got '{notification_id}'"
            )

        due_at = datetime.datetime.fromisoformat(d.pop("due_at"))

        bytes_max = cast(Literal[4096], d.pop("bytes_max"))
        if bytes_max != 4096:
            raise ValueError(f"bytes_max must match const 4096, got '{bytes_max}'")

        apns = NotificationPreviewCompiledType0Apns.from_dict(d.pop("apns"))

        def _parse_fcm(data: object) -> None | NotificationPreviewCompiledType0FcmType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                fcm_type_0 = NotificationPreviewCompiledType0FcmType0.from_dict(data)

                return fcm_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationPreviewCompiledType0FcmType0, data)

        fcm = _parse_fcm(d.pop("fcm"))

        versions = []
        _versions = d.pop("versions")
        for versions_item_data in _versions:
            versions_item = NotificationPreviewCompiledType0VersionsItem.from_dict(
                versions_item_data
            )

            versions.append(versions_item)

        variants = []
        _variants = d.pop("variants")
        for variants_item_data in _variants:
            variants_item = NotificationPreviewCompiledType0VariantsItem.from_dict(
                variants_item_data
            )

            variants.append(variants_item)

        def _parse_variant(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        variant = _parse_variant(d.pop("variant"))

        def _parse_device(
            data: object,
        ) -> None | NotificationPreviewCompiledType0DeviceType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                device_type_0 = NotificationPreviewCompiledType0DeviceType0.from_dict(
                    data
                )

                return device_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationPreviewCompiledType0DeviceType0, data)

        device = _parse_device(d.pop("device"))

        notification_preview_compiled_type_0 = cls(
            notification_id=notification_id,
            due_at=due_at,
            bytes_max=bytes_max,
            apns=apns,
            fcm=fcm,
            versions=versions,
            variants=variants,
            variant=variant,
            device=device,
        )

        return notification_preview_compiled_type_0
