from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.notification_preview_refusal_type_0_code import (
    NotificationPreviewRefusalType0Code,
    check_notification_preview_refusal_type_0_code,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.fault import Fault


T = TypeVar("T", bound="NotificationPreviewRefusalType0")


@_attrs_define
class NotificationPreviewRefusalType0:
    """
    Attributes:
        error (str): One sentence for a person. It may change; do not compare it.
        code (NotificationPreviewRefusalType0Code): Identifies the kind of error, for programs.
        status (int):
        details (list[Fault] | Unset): All faults in the request that have a position.
    """

    error: str
    code: NotificationPreviewRefusalType0Code
    status: int
    details: list[Fault] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        error = self.error

        code: str = self.code

        status = self.status

        details: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.details, Unset):
            details = []
            for details_item_data in self.details:
                details_item = details_item_data.to_dict()
                details.append(details_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "error": error,
                "code": code,
                "status": status,
            }
        )
        if details is not UNSET:
            field_dict["details"] = details

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.fault import Fault

        d = dict(src_dict)
        error = d.pop("error")

        code = check_notification_preview_refusal_type_0_code(d.pop("code"))

        status = d.pop("status")

        _details = d.pop("details", UNSET)
        details: list[Fault] | Unset = UNSET
        if _details is not UNSET:
            details = []
            for details_item_data in _details:
                details_item = Fault.from_dict(details_item_data)

                details.append(details_item)

        notification_preview_refusal_type_0 = cls(
            error=error,
            code=code,
            status=status,
            details=details,
        )

        return notification_preview_refusal_type_0
