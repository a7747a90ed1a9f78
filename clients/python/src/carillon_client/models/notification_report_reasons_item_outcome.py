from typing import Literal, cast

NotificationReportReasonsItemOutcome = Literal[
    "ambiguous", "capped", "dropped", "expired", "no_token", "rejected", "unregistered"
]


def check_notification_report_reasons_item_outcome(
    value: str,
) -> NotificationReportReasonsItemOutcome:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationReportReasonsItemOutcome, value)
