from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from uuid import UUID

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.audit_entry_after_type_0 import AuditEntryAfterType0
    from ..models.audit_entry_before_type_0 import AuditEntryBeforeType0
    from ..models.audit_entry_by import AuditEntryBy


T = TypeVar("T", bound="AuditEntry")


@_attrs_define
class AuditEntry:
    """
    Attributes:
        id (UUID):
        at (datetime.datetime):
        by (AuditEntryBy):
        action (str): The code of the change, such as `key.revoked`; new codes may be added.
        object_id (None | str): The id of what was changed; null if it has none.
        before (AuditEntryBeforeType0 | None): The changed parts before; null if there was nothing.
        after (AuditEntryAfterType0 | None): The changed parts afterwards; null if nothing is left.
        address (None | str): The IP address of the caller; null for a command.
        request_id (None | str): The `x-request-id` of the call; null for a command.
    """

    id: UUID
    at: datetime.datetime
    by: AuditEntryBy
    action: str
    object_id: None | str
    before: AuditEntryBeforeType0 | None
    after: AuditEntryAfterType0 | None
    address: None | str
    request_id: None | str

    def to_dict(self) -> dict[str, Any]:
        from ..models.audit_entry_after_type_0 import AuditEntryAfterType0
        from ..models.audit_entry_before_type_0 import AuditEntryBeforeType0

        id = str(self.id)

        at = self.at.isoformat()

        by = self.by.to_dict()

        action = self.action

        object_id: None | str
        object_id = self.object_id

        before: dict[str, Any] | None
        if isinstance(self.before, AuditEntryBeforeType0):
            before = self.before.to_dict()
        else:
            before = self.before

        after: dict[str, Any] | None
        if isinstance(self.after, AuditEntryAfterType0):
            after = self.after.to_dict()
        else:
            after = self.after

        address: None | str
        address = self.address

        request_id: None | str
        request_id = self.request_id

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "at": at,
                "by": by,
                "action": action,
                "object_id": object_id,
                "before": before,
                "after": after,
                "address": address,
                "request_id": request_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.audit_entry_after_type_0 import AuditEntryAfterType0
        from ..models.audit_entry_before_type_0 import AuditEntryBeforeType0
        from ..models.audit_entry_by import AuditEntryBy

        d = dict(src_dict)
        id = UUID(d.pop("id"))

        at = datetime.datetime.fromisoformat(d.pop("at"))

        by = AuditEntryBy.from_dict(d.pop("by"))

        action = d.pop("action")

        def _parse_object_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        object_id = _parse_object_id(d.pop("object_id"))

        def _parse_before(data: object) -> AuditEntryBeforeType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                before_type_0 = AuditEntryBeforeType0.from_dict(data)

                return before_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AuditEntryBeforeType0 | None, data)

        before = _parse_before(d.pop("before"))

        def _parse_after(data: object) -> AuditEntryAfterType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                after_type_0 = AuditEntryAfterType0.from_dict(data)

                return after_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AuditEntryAfterType0 | None, data)

        after = _parse_after(d.pop("after"))

        def _parse_address(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        address = _parse_address(d.pop("address"))

        def _parse_request_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        request_id = _parse_request_id(d.pop("request_id"))

        audit_entry = cls(
            id=id,
            at=at,
            by=by,
            action=action,
            object_id=object_id,
            before=before,
            after=after,
            address=address,
            request_id=request_id,
        )

        return audit_entry
