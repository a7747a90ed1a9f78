from typing import Literal, cast

NotificationProgressState = Literal[
    "canceled", "failed", "scheduled", "sending", "sent", "validated"
]


def check_notification_progress_state(value: str) -> NotificationProgressState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationProgressState, value)
