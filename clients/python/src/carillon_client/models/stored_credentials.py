from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self, TypeVar, cast

from attrs import define as _attrs_define

from ..models.stored_credentials_good_for_type_0_item import (
    StoredCredentialsGoodForType0Item,
    check_stored_credentials_good_for_type_0_item,
)

T = TypeVar("T", bound="StoredCredentials")


@_attrs_define
class StoredCredentials:
    """
    Attributes:
        checked (bool): Whether the gateway was asked.
        good_for (list[StoredCredentialsGoodForType0Item] | None): The environments of Apple that accept the key; null
            for FCM, or if Apple was not asked.
    """

    checked: bool
    good_for: list[StoredCredentialsGoodForType0Item] | None

    def to_dict(self) -> dict[str, Any]:
        checked = self.checked

        good_for: list[str] | None
        if isinstance(self.good_for, list):
            good_for = []
            for good_for_type_0_item_data in self.good_for:
                good_for_type_0_item: str = good_for_type_0_item_data
                good_for.append(good_for_type_0_item)

        else:
            good_for = self.good_for

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "checked": checked,
                "good_for": good_for,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        d = dict(src_dict)
        checked = d.pop("checked")

        def _parse_good_for(
            data: object,
        ) -> list[StoredCredentialsGoodForType0Item] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                good_for_type_0 = []
                _good_for_type_0 = data
                for good_for_type_0_item_data in _good_for_type_0:
                    good_for_type_0_item = (
                        check_stored_credentials_good_for_type_0_item(
                            good_for_type_0_item_data
                        )
                    )

                    good_for_type_0.append(good_for_type_0_item)

                return good_for_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[StoredCredentialsGoodForType0Item] | None, data)

        good_for = _parse_good_for(d.pop("good_for"))

        stored_credentials = cls(
            checked=checked,
            good_for=good_for,
        )

        return stored_credentials
