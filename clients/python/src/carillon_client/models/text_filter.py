from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="TextFilter")


@_attrs_define
class TextFilter:
    """A text matches if it is equal.

    Attributes:
        name (str): One of `locale`, `time_zone`, `os_name`, `country`, `marketing_name`, `user_id`, `user_email`,
            `device_id`, `tags`, `custom.string.<name>`.
        criteria (list[str]): At least one has to match.
        not_filter (bool | Unset): Negates the filter.
    """

    name: str
    criteria: list[str]
    not_filter: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        criteria = self.criteria

        not_filter = self.not_filter

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "criteria": criteria,
            }
        )
        if not_filter is not UNSET:
            field_dict["not_filter"] = not_filter

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        name = d.pop("name")

        criteria = cast(list[str], d.pop("criteria"))

        not_filter = d.pop("not_filter", UNSET)

        text_filter = cls(
            name=name,
            criteria=criteria,
            not_filter=not_filter,
        )

        return text_filter
