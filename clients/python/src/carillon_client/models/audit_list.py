from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.audit_entry import AuditEntry
    from ..models.audit_list_meta import AuditListMeta


T = TypeVar("T", bound="AuditList")


@_attrs_define
class AuditList:
    """
    Attributes:
        entries (list[AuditEntry]):
        meta (AuditListMeta):
    """

    entries: list[AuditEntry]
    meta: AuditListMeta

    def to_dict(self) -> dict[str, Any]:
        entries = []
        for entries_item_data in self.entries:
            entries_item = entries_item_data.to_dict()
            entries.append(entries_item)

        meta = self.meta.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "entries": entries,
                "meta": meta,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.audit_entry import AuditEntry
        from ..models.audit_list_meta import AuditListMeta

        d = dict(src_dict)
        entries = []
        _entries = d.pop("entries")
        for entries_item_data in _entries:
            entries_item = AuditEntry.from_dict(entries_item_data)

            entries.append(entries_item)

        meta = AuditListMeta.from_dict(d.pop("meta"))

        audit_list = cls(
            entries=entries,
            meta=meta,
        )

        return audit_list
