from typing import Literal, cast

QuietHoursRuleDaysItem = Literal[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"
]


def check_quiet_hours_rule_days_item(value: str) -> QuietHoursRuleDaysItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(QuietHoursRuleDaysItem, value)
