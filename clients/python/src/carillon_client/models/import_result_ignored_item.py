from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ImportResultIgnoredItem")


@_attrs_define
class ImportResultIgnoredItem:
    """
    Attributes:
        line (int):
        path (str): Of the value in the line, such as `custom.plan.value`.
        message (str): Why it was left out; path and message form a sentence.
    """

    line: int
    path: str
    message: str

    def to_dict(self) -> dict[str, Any]:
        line = self.line

        path = self.path

        message = self.message

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "line": line,
                "path": path,
                "message": message,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        line = d.pop("line")

        path = d.pop("path")

        message = d.pop("message")

        import_result_ignored_item = cls(
            line=line,
            path=path,
            message=message,
        )

        return import_result_ignored_item
