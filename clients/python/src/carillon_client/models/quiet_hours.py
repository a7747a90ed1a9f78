from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.quiet_hours_quiet_hours_type_0 import QuietHoursQuietHoursType0


T = TypeVar("T", bound="QuietHours")


@_attrs_define
class QuietHours:
    """
    Attributes:
        quiet_hours (None | QuietHoursQuietHoursType0): Null: the app has none.
    """

    quiet_hours: None | QuietHoursQuietHoursType0

    def to_dict(self) -> dict[str, Any]:
        from ..models.quiet_hours_quiet_hours_type_0 import QuietHoursQuietHoursType0

        quiet_hours: dict[str, Any] | None
        if isinstance(self.quiet_hours, QuietHoursQuietHoursType0):
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
        from ..models.quiet_hours_quiet_hours_type_0 import QuietHoursQuietHoursType0

        d = dict(src_dict)

        def _parse_quiet_hours(data: object) -> None | QuietHoursQuietHoursType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = QuietHoursQuietHoursType0.from_dict(data)

                return quiet_hours_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | QuietHoursQuietHoursType0, data)

        quiet_hours = _parse_quiet_hours(d.pop("quiet_hours"))

        quiet_hours = cls(
            quiet_hours=quiet_hours,
        )

        return quiet_hours
