from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="AuditListMeta")


@_attrs_define
class AuditListMeta:
    """
    Attributes:
        cursor (None | str): Leads to the next page; null on the last one.
    """

    cursor: None | str

    def to_dict(self) -> dict[str, Any]:
        cursor: None | str
        cursor = self.cursor

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "cursor": cursor,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)

        def _parse_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        cursor = _parse_cursor(d.pop("cursor"))

        audit_list_meta = cls(
            cursor=cursor,
        )

        return audit_list_meta
