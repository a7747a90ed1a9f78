from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.boolean_filter import BooleanFilter
    from ..models.date_filter import DateFilter
    from ..models.device_target import DeviceTarget
    from ..models.event_filter import EventFilter
    from ..models.number_filter import NumberFilter
    from ..models.permission_filter import PermissionFilter
    from ..models.place_filter import PlaceFilter
    from ..models.stored_target import StoredTarget
    from ..models.text_filter import TextFilter
    from ..models.user_target import UserTarget
    from ..models.version_filter import VersionFilter


T = TypeVar("T", bound="CountNotificationLocales")


@_attrs_define
class CountNotificationLocales:
    """
    Attributes:
        to (DeviceTarget | list[BooleanFilter | DateFilter | EventFilter | NumberFilter | PermissionFilter | PlaceFilter
            | TextFilter | VersionFilter] | Literal['*'] | StoredTarget | str | UserTarget): The devices that the
            notification is for.
        translations (list[str] | Unset): The keys of `localized`; if left out, none.
    """

    to: (
        DeviceTarget
        | list[
            BooleanFilter
            | DateFilter
            | EventFilter
            | NumberFilter
            | PermissionFilter
            | PlaceFilter
            | TextFilter
            | VersionFilter
        ]
        | Literal["*"]
        | StoredTarget
        | str
        | UserTarget
    )
    translations: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.boolean_filter import BooleanFilter
        from ..models.date_filter import DateFilter
        from ..models.device_target import DeviceTarget
        from ..models.number_filter import NumberFilter
        from ..models.permission_filter import PermissionFilter
        from ..models.place_filter import PlaceFilter
        from ..models.stored_target import StoredTarget
        from ..models.text_filter import TextFilter
        from ..models.user_target import UserTarget
        from ..models.version_filter import VersionFilter

        to: dict[str, Any] | list[dict[str, Any]] | Literal["*"] | str
        if (
            isinstance(self.to, StoredTarget)
            or isinstance(self.to, DeviceTarget)
            or isinstance(self.to, UserTarget)
        ):
            to = self.to.to_dict()
        elif isinstance(self.to, list):
            to = []
            for componentsschemas_notification_target_type_5_item_data in self.to:
                componentsschemas_notification_target_type_5_item: dict[str, Any]
                if (
                    isinstance(
                        componentsschemas_notification_target_type_5_item_data,
                        TextFilter,
                    )
                    or isinstance(
                        componentsschemas_notification_target_type_5_item_data,
                        PermissionFilter,
                    )
                    or isinstance(
                        componentsschemas_notification_target_type_5_item_data,
                        VersionFilter,
                    )
                    or isinstance(
                        componentsschemas_notification_target_type_5_item_data,
                        NumberFilter,
                    )
                    or isinstance(
                        componentsschemas_notification_target_type_5_item_data,
                        BooleanFilter,
                    )
                    or isinstance(
                        componentsschemas_notification_target_type_5_item_data,
                        DateFilter,
                    )
                    or isinstance(
                        componentsschemas_notification_target_type_5_item_data,
                        PlaceFilter,
                    )
                ):
                    componentsschemas_notification_target_type_5_item = (
                        componentsschemas_notification_target_type_5_item_data.to_dict()
                    )
                else:
                    componentsschemas_notification_target_type_5_item = (
                        componentsschemas_notification_target_type_5_item_data.to_dict()
                    )

                to.append(componentsschemas_notification_target_type_5_item)

        else:
            to = self.to

        translations: list[str] | Unset = UNSET
        if not isinstance(self.translations, Unset):
            translations = self.translations

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "to": to,
            }
        )
        if translations is not UNSET:
            field_dict["translations"] = translations

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.boolean_filter import BooleanFilter
        from ..models.date_filter import DateFilter
        from ..models.device_target import DeviceTarget
        from ..models.event_filter import EventFilter
        from ..models.number_filter import NumberFilter
        from ..models.permission_filter import PermissionFilter
        from ..models.place_filter import PlaceFilter
        from ..models.stored_target import StoredTarget
        from ..models.text_filter import TextFilter
        from ..models.user_target import UserTarget
        from ..models.version_filter import VersionFilter

        d = dict(src_dict)

        def _parse_to(
            data: object,
        ) -> (
            DeviceTarget
            | list[
                BooleanFilter
                | DateFilter
                | EventFilter
                | NumberFilter
                | PermissionFilter
                | PlaceFilter
                | TextFilter
                | VersionFilter
            ]
            | Literal["*"]
            | StoredTarget
            | str
            | UserTarget
        ):
            componentsschemas_notification_target_type_0 = cast(Literal["*"], data)
            if componentsschemas_notification_target_type_0 != "*":
                raise ValueError(
                    f"/components/schemas/NotificationTarget_type_0 must match const '*', got '{componentsschemas_notification_target_type_0}'"
                )
            return componentsschemas_notification_target_type_0
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_notification_target_type_2 = StoredTarget.from_dict(
                    data
                )

                return componentsschemas_notification_target_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_notification_target_type_3 = DeviceTarget.from_dict(
                    data
                )

                return componentsschemas_notification_target_type_3
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_notification_target_type_4 = UserTarget.from_dict(
                    data
                )

                return componentsschemas_notification_target_type_4
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, list):
                    raise TypeError()
                componentsschemas_notification_target_type_5 = []
                _componentsschemas_notification_target_type_5 = data
                for (
                    componentsschemas_notification_target_type_5_item_data
                ) in _componentsschemas_notification_target_type_5:

                    def _parse_componentsschemas_notification_target_type_5_item(
                        data: object,
                    ) -> (
                        BooleanFilter
                        | DateFilter
                        | EventFilter
                        | NumberFilter
                        | PermissionFilter
                        | PlaceFilter
                        | TextFilter
                        | VersionFilter
                    ):
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            componentsschemas_filter_type_0 = TextFilter.from_dict(data)

                            return componentsschemas_filter_type_0
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            componentsschemas_filter_type_1 = (
                                PermissionFilter.from_dict(data)
                            )

                            return componentsschemas_filter_type_1
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            componentsschemas_filter_type_2 = VersionFilter.from_dict(
                                data
                            )

                            return componentsschemas_filter_type_2
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            componentsschemas_filter_type_3 = NumberFilter.from_dict(
                                data
                            )

                            return componentsschemas_filter_type_3
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            componentsschemas_filter_type_4 = BooleanFilter.from_dict(
                                data
                            )

                            return componentsschemas_filter_type_4
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            componentsschemas_filter_type_5 = DateFilter.from_dict(data)

                            return componentsschemas_filter_type_5
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        try:
                            if not isinstance(data, dict):
                                raise TypeError()
                            componentsschemas_filter_type_6 = PlaceFilter.from_dict(
                                data
                            )

                            return componentsschemas_filter_type_6
                        except (TypeError, ValueError, AttributeError, KeyError):
                            pass
                        if not isinstance(data, dict):
                            raise TypeError()
                        componentsschemas_filter_type_7 = EventFilter.from_dict(data)

                        return componentsschemas_filter_type_7

                    componentsschemas_notification_target_type_5_item = (
                        _parse_componentsschemas_notification_target_type_5_item(
                            componentsschemas_notification_target_type_5_item_data
                        )
                    )

                    componentsschemas_notification_target_type_5.append(
                        componentsschemas_notification_target_type_5_item
                    )

                return componentsschemas_notification_target_type_5
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(
                DeviceTarget
                | list[
                    BooleanFilter
                    | DateFilter
                    | EventFilter
                    | NumberFilter
                    | PermissionFilter
                    | PlaceFilter
                    | TextFilter
                    | VersionFilter
                ]
                | Literal["*"]
                | StoredTarget
                | str
                | UserTarget,
                data,
            )

        to = _parse_to(d.pop("to"))

        translations = cast(list[str], d.pop("translations", UNSET))

        count_notification_locales = cls(
            to=to,
            translations=translations,
        )

        return count_notification_locales
