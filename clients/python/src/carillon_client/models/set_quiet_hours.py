from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.quiet_hours_rule import QuietHoursRule


T = TypeVar("T", bound="SetQuietHours")


@_attrs_define
class SetQuietHours:
    """
    Attributes:
        quiet_hours (None | QuietHoursRule): Null: the app has none.
    """

    quiet_hours: None | QuietHoursRule

    def to_dict(self) -> dict[str, Any]:
        from ..models.quiet_hours_rule import QuietHoursRule

        quiet_hours: dict[str, Any] | None
        if isinstance(self.quiet_hours, QuietHoursRule):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "quiet_hours": quiet_hours,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.quiet_hours_rule import QuietHoursRule

        d = dict(src_dict)

        def _parse_quiet_hours(data: object) -> None | QuietHoursRule:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = QuietHoursRule.from_dict(data)

                return quiet_hours_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | QuietHoursRule, data)

        quiet_hours = _parse_quiet_hours(d.pop("quiet_hours"))

        set_quiet_hours = cls(
            quiet_hours=quiet_hours,
        )

        return set_quiet_hours
