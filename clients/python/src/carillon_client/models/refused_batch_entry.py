from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar

from attrs import define as _attrs_define

from ..models.refused_batch_entry_code import (
    RefusedBatchEntryCode,
    check_refused_batch_entry_code,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.fault import Fault


T = TypeVar("T", bound="RefusedBatchEntry")


@_attrs_define
class RefusedBatchEntry:
    """
    Attributes:
        error (str): One sentence for a person. It may change; do not compare it.
        code (RefusedBatchEntryCode): Identifies the kind of error, for programs.
        line (int): The line of the request, from 1; empty lines count. For a JSON array the position, from 1.
        status (int):
        details (list[Fault] | Unset): All faults in the request that have a position.
    """

    error: str
    code: RefusedBatchEntryCode
    line: int
    status: int
    details: list[Fault] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        error = self.error

        code: str = self.code

        line = self.line

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
                "line": line,
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

        code = check_refused_batch_entry_code(d.pop("code"))

        line = d.pop("line")

        status = d.pop("status")

        _details = d.pop("details", UNSET)
        details: list[Fault] | Unset = UNSET
        if _details is not UNSET:
            details = []
            for details_item_data in _details:
                details_item = Fault.from_dict(details_item_data)

                details.append(details_item)

        refused_batch_entry = cls(
            error=error,
            code=code,
            line=line,
            status=status,
            details=details,
        )

        return refused_batch_entry
