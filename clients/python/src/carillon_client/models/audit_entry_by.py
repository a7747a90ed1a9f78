from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.audit_entry_by_kind import AuditEntryByKind, check_audit_entry_by_kind

T = TypeVar("T", bound="AuditEntryBy")


@_attrs_define
class AuditEntryBy:
    """
    Attributes:
        kind (AuditEntryByKind):
        id (str): The id of the API key or the user; `command_line` for a command; `server` for a periodic job.
        name (None | str): The name of the user or of the key at that time; null if it had none.
    """

    kind: AuditEntryByKind
    id: str
    name: None | str

    def to_dict(self) -> dict[str, Any]:
        kind: str = self.kind

        id = self.id

        name: None | str
        name = self.name

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
                "id": id,
                "name": name,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        kind = check_audit_entry_by_kind(d.pop("kind"))

        id = d.pop("id")

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))

        audit_entry_by = cls(
            kind=kind,
            id=id,
            name=name,
        )

        return audit_entry_by
