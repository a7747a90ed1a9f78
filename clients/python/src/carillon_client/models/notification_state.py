from typing import Literal, cast

NotificationState = Literal[
    "canceled", "failed", "scheduled", "sending", "sent", "validated"
]


def check_notification_state(value: str) -> NotificationState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationState, value)
