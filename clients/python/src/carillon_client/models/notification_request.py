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

from ..models.notification_request_android_presentation import (
    NotificationRequestAndroidPresentation,
    check_notification_request_android_presentation,
)
from ..models.notification_request_priority import (
    NotificationRequestPriority,
    check_notification_request_priority,
)
from ..models.notification_request_quiet_hours_type_1 import (
    NotificationRequestQuietHoursType1,
    check_notification_request_quiet_hours_type_1,
)
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.boolean_filter import BooleanFilter
    from ..models.date_filter import DateFilter
    from ..models.deliver_at_local import DeliverAtLocal
    from ..models.device_target import DeviceTarget
    from ..models.event_filter import EventFilter
    from ..models.notification_request_android import NotificationRequestAndroid
    from ..models.notification_request_apns import NotificationRequestApns
    from ..models.notification_request_live_activity_type_0 import (
        NotificationRequestLiveActivityType0,
    )
    from ..models.notification_request_live_activity_type_1 import (
        NotificationRequestLiveActivityType1,
    )
    from ..models.notification_request_live_activity_type_2 import (
        NotificationRequestLiveActivityType2,
    )
    from ..models.notification_request_localized import NotificationRequestLocalized
    from ..models.notification_request_receipts import NotificationRequestReceipts
    from ..models.notification_request_template_type_1 import (
        NotificationRequestTemplateType1,
    )
    from ..models.number_filter import NumberFilter
    from ..models.payload import Payload
    from ..models.permission_filter import PermissionFilter
    from ..models.place_filter import PlaceFilter
    from ..models.quiet_hours_rule import QuietHoursRule
    from ..models.stored_target import StoredTarget
    from ..models.text_filter import TextFilter
    from ..models.user_target import UserTarget
    from ..models.variant import Variant
    from ..models.version_filter import VersionFilter


T = TypeVar("T", bound="NotificationRequest")


@_attrs_define
class NotificationRequest:
    """
    Attributes:
        to (DeviceTarget | list[BooleanFilter | DateFilter | EventFilter | NumberFilter | PermissionFilter | PlaceFilter
            | TextFilter | VersionFilter] | Literal['*'] | StoredTarget | str | UserTarget): The devices that the
            notification is for.
        payload (Payload | Unset): Any other key belongs to the app and is passed on unchanged, whatever its value.
        deliver_at (str | Unset): ISO 8601, at most 30 days ahead. Without it, or with a time in the past, the
            notification is sent at once.
        deliver_at_local (DeliverAtLocal | Unset):
        spread_over (str | Unset): The devices are sent to evenly within this time, an ISO 8601 duration of at most a
            day (`PT30M`), so that not all of them ask a server at once. The time to live counts from the moment of each
            device.
        quiet_hours (NotificationRequestQuietHoursType1 | QuietHoursRule | Unset): Hours of the clock of each device in
            which nothing is sent to it; `ignore` for none. If left out, those of the app.
        localized (NotificationRequestLocalized | Unset): Translations by language tag (BCP 47): `fr`, `fr-CA`, `zh-
            Hant`; underscores and any case are accepted. A device gets each key from the best of them for its `locale`,
            else from `payload`.
        template (bool | NotificationRequestTemplateType1 | Unset): Whether `{{ … }}` in texts stands for attributes of
            the device. `true` is the same as `{"on_missing": "empty"}`.
        variants (list[Variant] | Unset): An A/B test: each device gets the payload with the changes of one of these.
            All devices of a user get the same one, also when they are tried again. The numbers by variant are in the
            report.
        hold_out (float | Unset): The share of the audience that gets nothing, as a comparison: `dropped` with the
            reason `held_out`. Needs `variants`.
        experiment (str | Unset): Devices are assigned by this name instead of the id of the notification: several
            notifications with the same name, variants, weights and hold-out divide the audience in the same way, and a
            preview knows the variant of a device. Needs `variants`.
        time_to_live (int | Unset): Seconds for which a gateway keeps trying to reach a device that is offline. If left
            out, four weeks; 12 hours for a Live Activity, and 0 for the push types `voip` and `pushtotalk`.
        priority (NotificationRequestPriority | Unset): If left out, `high` if there is an `alert` or a `title`,
            otherwise `normal`; other push types than alerts have their own.
        android_presentation (NotificationRequestAndroidPresentation | Unset): On Android, `data` lets the app draw the
            push and `system` lets Android draw it. If left out, the app’s setting applies.
        receipts (NotificationRequestReceipts | Unset): Asks devices to report that they received and showed the push
            (`POST /v6/receipts`). The push carries the number `_rcpt`.
        android (NotificationRequestAndroid | Unset): What only Google gets. `click_action`, `visibility`,
            `notification_count` and `proxy` need `android_presentation` `system`: without it, the app draws.
        apns (NotificationRequestApns | Unset): What only Apple gets.
        live_activity (NotificationRequestLiveActivityType0 | NotificationRequestLiveActivityType1 |
            NotificationRequestLiveActivityType2 | Unset): Starts, updates or ends a Live Activity. `payload` is its alert,
            and may be left out.
        dry_run (bool | Unset): The request is checked and the audience is stored and counted, but nothing is sent. This
            happens at once, whatever `deliver_at` is.
        max_recipients (int | Unset): If the audience has more devices than this, the notification fails and nothing is
            sent.
        group (str | Unset): The group that it belongs to, such as `marketing`. If the app has a frequency cap for the
            group, devices that have had enough of it are left out (`capped`).
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
    payload: Payload | Unset = UNSET
    deliver_at: str | Unset = UNSET
    deliver_at_local: DeliverAtLocal | Unset = UNSET
    spread_over: str | Unset = UNSET
    quiet_hours: NotificationRequestQuietHoursType1 | QuietHoursRule | Unset = UNSET
    localized: NotificationRequestLocalized | Unset = UNSET
    template: bool | NotificationRequestTemplateType1 | Unset = UNSET
    variants: list[Variant] | Unset = UNSET
    hold_out: float | Unset = UNSET
    experiment: str | Unset = UNSET
    time_to_live: int | Unset = UNSET
    priority: NotificationRequestPriority | Unset = UNSET
    android_presentation: NotificationRequestAndroidPresentation | Unset = UNSET
    receipts: NotificationRequestReceipts | Unset = UNSET
    android: NotificationRequestAndroid | Unset = UNSET
    apns: NotificationRequestApns | Unset = UNSET
    live_activity: (
        NotificationRequestLiveActivityType0
        | NotificationRequestLiveActivityType1
        | NotificationRequestLiveActivityType2
        | Unset
    ) = UNSET
    dry_run: bool | Unset = UNSET
    max_recipients: int | Unset = UNSET
    group: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.boolean_filter import BooleanFilter
        from ..models.date_filter import DateFilter
        from ..models.device_target import DeviceTarget
        from ..models.notification_request_live_activity_type_0 import (
            NotificationRequestLiveActivityType0,
        )
        from ..models.notification_request_live_activity_type_1 import (
            NotificationRequestLiveActivityType1,
        )
        from ..models.notification_request_template_type_1 import (
            NotificationRequestTemplateType1,
        )
        from ..models.number_filter import NumberFilter
        from ..models.permission_filter import PermissionFilter
        from ..models.place_filter import PlaceFilter
        from ..models.quiet_hours_rule import QuietHoursRule
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

        payload: dict[str, Any] | Unset = UNSET
        if not isinstance(self.payload, Unset):
            payload = self.payload.to_dict()

        deliver_at = self.deliver_at

        deliver_at_local: dict[str, Any] | Unset = UNSET
        if not isinstance(self.deliver_at_local, Unset):
            deliver_at_local = self.deliver_at_local.to_dict()

        spread_over = self.spread_over

        quiet_hours: dict[str, Any] | str | Unset
        if isinstance(self.quiet_hours, Unset):
            quiet_hours = UNSET
        elif isinstance(self.quiet_hours, QuietHoursRule):
            quiet_hours = self.quiet_hours.to_dict()
        else:
            quiet_hours = self.quiet_hours

        localized: dict[str, Any] | Unset = UNSET
        if not isinstance(self.localized, Unset):
            localized = self.localized.to_dict()

        template: bool | dict[str, Any] | Unset
        if isinstance(self.template, Unset):
            template = UNSET
        elif isinstance(self.template, NotificationRequestTemplateType1):
            template = self.template.to_dict()
        else:
            template = self.template

        variants: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.variants, Unset):
            variants = []
            for variants_item_data in self.variants:
                variants_item = variants_item_data.to_dict()
                variants.append(variants_item)

        hold_out = self.hold_out

        experiment = self.experiment

        time_to_live = self.time_to_live

        priority: str | Unset = UNSET
        if not isinstance(self.priority, Unset):
            priority = self.priority

        android_presentation: str | Unset = UNSET
        if not isinstance(self.android_presentation, Unset):
            android_presentation = self.android_presentation

        receipts: dict[str, Any] | Unset = UNSET
        if not isinstance(self.receipts, Unset):
            receipts = self.receipts.to_dict()

        android: dict[str, Any] | Unset = UNSET
        if not isinstance(self.android, Unset):
            android = self.android.to_dict()

        apns: dict[str, Any] | Unset = UNSET
        if not isinstance(self.apns, Unset):
            apns = self.apns.to_dict()

        live_activity: dict[str, Any] | Unset
        if isinstance(self.live_activity, Unset):
            live_activity = UNSET
        elif isinstance(
            self.live_activity, NotificationRequestLiveActivityType0
        ) or isinstance(self.live_activity, NotificationRequestLiveActivityType1):
            live_activity = self.live_activity.to_dict()
        else:
            live_activity = self.live_activity.to_dict()

        dry_run = self.dry_run

        max_recipients = self.max_recipients

        group = self.group

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "to": to,
            }
        )
        if payload is not UNSET:
            field_dict["payload"] = payload
        if deliver_at is not UNSET:
            field_dict["deliver_at"] = deliver_at
        if deliver_at_local is not UNSET:
            field_dict["deliver_at_local"] = deliver_at_local
        if spread_over is not UNSET:
            field_dict["spread_over"] = spread_over
        if quiet_hours is not UNSET:
            field_dict["quiet_hours"] = quiet_hours
        if localized is not UNSET:
            field_dict["localized"] = localized
        if template is not UNSET:
            field_dict["template"] = template
        if variants is not UNSET:
            field_dict["variants"] = variants
        if hold_out is not UNSET:
            field_dict["hold_out"] = hold_out
        if experiment is not UNSET:
            field_dict["experiment"] = experiment
        if time_to_live is not UNSET:
            field_dict["time_to_live"] = time_to_live
        if priority is not UNSET:
            field_dict["priority"] = priority
        if android_presentation is not UNSET:
            field_dict["android_presentation"] = android_presentation
        if receipts is not UNSET:
            field_dict["receipts"] = receipts
        if android is not UNSET:
            field_dict["android"] = android
        if apns is not UNSET:
            field_dict["apns"] = apns
        if live_activity is not UNSET:
            field_dict["live_activity"] = live_activity
        if dry_run is not UNSET:
            field_dict["dry_run"] = dry_run
        if max_recipients is not UNSET:
            field_dict["max_recipients"] = max_recipients
        if group is not UNSET:
            field_dict["group"] = group

        return field_dict

    @classmethod
    def from_dict(cls, src_dict: Mapping[str, Any]) -> Self:
        from ..models.boolean_filter import BooleanFilter
        from ..models.date_filter import DateFilter
        from ..models.deliver_at_local import DeliverAtLocal
        from ..models.device_target import DeviceTarget
        from ..models.event_filter import EventFilter
        from ..models.notification_request_android import NotificationRequestAndroid
        from ..models.notification_request_apns import NotificationRequestApns
        from ..models.notification_request_live_activity_type_0 import (
            NotificationRequestLiveActivityType0,
        )
        from ..models.notification_request_live_activity_type_1 import (
            NotificationRequestLiveActivityType1,
        )
        from ..models.notification_request_live_activity_type_2 import (
            NotificationRequestLiveActivityType2,
        )
        from ..models.notification_request_localized import NotificationRequestLocalized
        from ..models.notification_request_receipts import NotificationRequestReceipts
        from ..models.notification_request_template_type_1 import (
            NotificationRequestTemplateType1,
        )
        from ..models.number_filter import NumberFilter
        from ..models.payload import Payload
        from ..models.permission_filter import PermissionFilter
        from ..models.place_filter import PlaceFilter
        from ..models.quiet_hours_rule import QuietHoursRule
        from ..models.stored_target import StoredTarget
        from ..models.text_filter import TextFilter
        from ..models.user_target import UserTarget
        from ..models.variant import Variant
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

        _payload = d.pop("payload", UNSET)
        payload: Payload | Unset
        if isinstance(_payload, Unset):
            payload = UNSET
        else:
            payload = Payload.from_dict(_payload)

        deliver_at = d.pop("deliver_at", UNSET)

        _deliver_at_local = d.pop("deliver_at_local", UNSET)
        deliver_at_local: DeliverAtLocal | Unset
        if isinstance(_deliver_at_local, Unset):
            deliver_at_local = UNSET
        else:
            deliver_at_local = DeliverAtLocal.from_dict(_deliver_at_local)

        spread_over = d.pop("spread_over", UNSET)

        def _parse_quiet_hours(
            data: object,
        ) -> NotificationRequestQuietHoursType1 | QuietHoursRule | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quiet_hours_type_0 = QuietHoursRule.from_dict(data)

                return quiet_hours_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, str):
                raise TypeError()
            quiet_hours_type_1 = check_notification_request_quiet_hours_type_1(data)

            return quiet_hours_type_1

        quiet_hours = _parse_quiet_hours(d.pop("quiet_hours", UNSET))

        _localized = d.pop("localized", UNSET)
        localized: NotificationRequestLocalized | Unset
        if isinstance(_localized, Unset):
            localized = UNSET
        else:
            localized = NotificationRequestLocalized.from_dict(_localized)

        def _parse_template(
            data: object,
        ) -> bool | NotificationRequestTemplateType1 | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                template_type_1 = NotificationRequestTemplateType1.from_dict(data)

                return template_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(bool | NotificationRequestTemplateType1 | Unset, data)

        template = _parse_template(d.pop("template", UNSET))

        _variants = d.pop("variants", UNSET)
        variants: list[Variant] | Unset = UNSET
        if _variants is not UNSET:
            variants = []
            for variants_item_data in _variants:
                variants_item = Variant.from_dict(variants_item_data)

                variants.append(variants_item)

        hold_out = d.pop("hold_out", UNSET)

        experiment = d.pop("experiment", UNSET)

        time_to_live = d.pop("time_to_live", UNSET)

        _priority = d.pop("priority", UNSET)
        priority: NotificationRequestPriority | Unset
        if isinstance(_priority, Unset):
            priority = UNSET
        else:
            priority = check_notification_request_priority(_priority)

        _android_presentation = d.pop("android_presentation", UNSET)
        android_presentation: NotificationRequestAndroidPresentation | Unset
        if isinstance(_android_presentation, Unset):
            android_presentation = UNSET
        else:
            android_presentation = check_notification_request_android_presentation(
                _android_presentation
            )

        _receipts = d.pop("receipts", UNSET)
        receipts: NotificationRequestReceipts | Unset
        if isinstance(_receipts, Unset):
            receipts = UNSET
        else:
            receipts = NotificationRequestReceipts.from_dict(_receipts)

        _android = d.pop("android", UNSET)
        android: NotificationRequestAndroid | Unset
        if isinstance(_android, Unset):
            android = UNSET
        else:
            android = NotificationRequestAndroid.from_dict(_android)

        _apns = d.pop("apns", UNSET)
        apns: NotificationRequestApns | Unset
        if isinstance(_apns, Unset):
            apns = UNSET
        else:
            apns = NotificationRequestApns.from_dict(_apns)

        def _parse_live_activity(
            data: object,
        ) -> (
            NotificationRequestLiveActivityType0
            | NotificationRequestLiveActivityType1
            | NotificationRequestLiveActivityType2
            | Unset
        ):
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                live_activity_type_0 = NotificationRequestLiveActivityType0.from_dict(
                    data
                )

                return live_activity_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                live_activity_type_1 = NotificationRequestLiveActivityType1.from_dict(
                    data
                )

                return live_activity_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            live_activity_type_2 = NotificationRequestLiveActivityType2.from_dict(data)

            return live_activity_type_2

        live_activity = _parse_live_activity(d.pop("live_activity", UNSET))

        dry_run = d.pop("dry_run", UNSET)

        max_recipients = d.pop("max_recipients", UNSET)

        group = d.pop("group", UNSET)

        notification_request = cls(
            to=to,
            payload=payload,
            deliver_at=deliver_at,
            deliver_at_local=deliver_at_local,
            spread_over=spread_over,
            quiet_hours=quiet_hours,
            localized=localized,
            template=template,
            variants=variants,
            hold_out=hold_out,
            experiment=experiment,
            time_to_live=time_to_live,
            priority=priority,
            android_presentation=android_presentation,
            receipts=receipts,
            android=android,
            apns=apns,
            live_activity=live_activity,
            dry_run=dry_run,
            max_recipients=max_recipients,
            group=group,
        )

        return notification_request
