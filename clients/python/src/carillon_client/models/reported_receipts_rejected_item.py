from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ReportedReceiptsRejectedItem")


@_attrs_define
class ReportedReceiptsRejectedItem:
    """
    Attributes:
        line (int): The line of the request, from 1; empty lines count. For a JSON array the position, from 1.
        error (str):
    """

    line: int
    error: str

    def to_dict(self) -> dict[str, Any]:
        line = self.line

        error = self.error

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "line": line,
                "error": error,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        line = d.pop("line")

        error = d.pop("error")

        reported_receipts_rejected_item = cls(
            line=line,
            error=error,
        )

        return reported_receipts_rejected_item
