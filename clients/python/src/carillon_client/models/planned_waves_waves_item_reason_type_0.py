from typing import Literal, cast

PlannedWavesWavesItemReasonType0 = Literal[
    "held_too_long", "local_time_past", "no_time_zone", "quiet_hours"
]


def check_planned_waves_waves_item_reason_type_0(
    value: str,
) -> PlannedWavesWavesItemReasonType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(PlannedWavesWavesItemReasonType0, value)
