from typing import Literal, cast

NotificationWavesItemReasonType0 = Literal[
    "held_too_long", "local_time_past", "no_time_zone", "quiet_hours"
]


def check_notification_waves_item_reason_type_0(
    value: str,
) -> NotificationWavesItemReasonType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationWavesItemReasonType0, value)
