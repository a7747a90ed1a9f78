from typing import Literal, cast

QuietHoursRuleAction = Literal["drop", "hold"]


def check_quiet_hours_rule_action(value: str) -> QuietHoursRuleAction:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(QuietHoursRuleAction, value)
