from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.notification_progress_limit_type_0_code import (
    NotificationProgressLimitType0Code,
    check_notification_progress_limit_type_0_code,
)

T = TypeVar("T", bound="NotificationProgressLimitType0")


@_attrs_define
class NotificationProgressLimitType0:
    """
    Attributes:
        code (NotificationProgressLimitType0Code):
        sentence (str): For people.
        until (datetime.datetime | None): When it ends, if that is known.
    """

    code: NotificationProgressLimitType0Code
    sentence: str
    until: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        code: str = self.code

        sentence = self.sentence

        until: None | str
        if isinstance(self.until, datetime.datetime):
            until = self.until.isoformat()
        else:
            until = self.until

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "sentence": sentence,
                "until": until,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        code = check_notification_progress_limit_type_0_code(d.pop("code"))

        sentence = d.pop("sentence")

        def _parse_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                until_type_0 = datetime.datetime.fromisoformat(data)

                return until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        until = _parse_until(d.pop("until"))

        notification_progress_limit_type_0 = cls(
            code=code,
            sentence=sentence,
            until=until,
        )

        return notification_progress_limit_type_0
