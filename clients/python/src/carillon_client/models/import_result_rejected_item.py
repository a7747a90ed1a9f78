from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ImportResultRejectedItem")


@_attrs_define
class ImportResultRejectedItem:
    """
    Attributes:
        line (int): The line number from 1; empty lines count.
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

        import_result_rejected_item = cls(
            line=line,
            error=error,
        )

        return import_result_rejected_item
