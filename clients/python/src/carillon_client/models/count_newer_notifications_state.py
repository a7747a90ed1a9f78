from typing import Literal, cast

CountNewerNotificationsState = Literal[
    "canceled", "failed", "scheduled", "sending", "sent", "validated"
]


def check_count_newer_notifications_state(value: str) -> CountNewerNotificationsState:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CountNewerNotificationsState, value)
