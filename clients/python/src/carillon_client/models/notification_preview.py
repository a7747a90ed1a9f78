from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.notification_preview_compiled_type_0 import (
        NotificationPreviewCompiledType0,
    )
    from ..models.notification_preview_refusal_type_0 import (
        NotificationPreviewRefusalType0,
    )
    from ..models.notification_preview_warnings_item import (
        NotificationPreviewWarningsItem,
    )


T = TypeVar("T", bound="NotificationPreview")


@_attrs_define
class NotificationPreview:
    """
    Attributes:
        refusal (None | NotificationPreviewRefusalType0): The reply with which creation would refuse the notification;
            null if it would accept it.
        compiled (None | NotificationPreviewCompiledType0): Null if a fault of the payload or of its options prevents
            compiling.
        warnings (list[NotificationPreviewWarningsItem]): What is valid and probably not meant: payload keys that other
            servers have a meaning for and that are passed on here, and values that a phone does not show. Creation accepts
            them.
    """

    refusal: None | NotificationPreviewRefusalType0
    compiled: None | NotificationPreviewCompiledType0
    warnings: list[NotificationPreviewWarningsItem]

    def to_dict(self) -> dict[str, Any]:
        from ..models.notification_preview_compiled_type_0 import (
            NotificationPreviewCompiledType0,
        )
        from ..models.notification_preview_refusal_type_0 import (
            NotificationPreviewRefusalType0,
        )

        refusal: dict[str, Any] | None
        if isinstance(self.refusal, NotificationPreviewRefusalType0):
            refusal = self.refusal.to_dict()
        else:
            refusal = self.refusal

        compiled: dict[str, Any] | None
        if isinstance(self.compiled, NotificationPreviewCompiledType0):
            compiled = self.compiled.to_dict()
        else:
            compiled = self.compiled

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "refusal": refusal,
                "compiled": compiled,
                "warnings": warnings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.notification_preview_compiled_type_0 import (
            NotificationPreviewCompiledType0,
        )
        from ..models.notification_preview_refusal_type_0 import (
            NotificationPreviewRefusalType0,
        )
        from ..models.notification_preview_warnings_item import (
            NotificationPreviewWarningsItem,
        )

        d = dict(src_dict)

        def _parse_refusal(data: object) -> None | NotificationPreviewRefusalType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                refusal_type_0 = NotificationPreviewRefusalType0.from_dict(data)

                return refusal_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationPreviewRefusalType0, data)

        refusal = _parse_refusal(d.pop("refusal"))

        def _parse_compiled(data: object) -> None | NotificationPreviewCompiledType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                compiled_type_0 = NotificationPreviewCompiledType0.from_dict(data)

                return compiled_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | NotificationPreviewCompiledType0, data)

        compiled = _parse_compiled(d.pop("compiled"))

        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in _warnings:
            warnings_item = NotificationPreviewWarningsItem.from_dict(
                warnings_item_data
            )

            warnings.append(warnings_item)

        notification_preview = cls(
            refusal=refusal,
            compiled=compiled,
            warnings=warnings,
        )

        return notification_preview
