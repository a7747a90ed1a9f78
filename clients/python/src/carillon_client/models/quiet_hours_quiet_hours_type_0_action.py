from typing import Literal, cast

QuietHoursQuietHoursType0Action = Literal["drop", "hold"]


def check_quiet_hours_quiet_hours_type_0_action(
    value: str,
) -> QuietHoursQuietHoursType0Action:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(QuietHoursQuietHoursType0Action, value)
