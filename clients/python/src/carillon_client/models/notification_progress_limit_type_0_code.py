from typing import Literal, cast

NotificationProgressLimitType0Code = Literal[
    "disk_full",
    "gateway_answers",
    "gateway_paused",
    "google_quota",
    "next_wave",
    "retrying",
    "route_paused",
    "scheduled",
    "waiting_for_worker",
]


def check_notification_progress_limit_type_0_code(
    value: str,
) -> NotificationProgressLimitType0Code:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationProgressLimitType0Code, value)
