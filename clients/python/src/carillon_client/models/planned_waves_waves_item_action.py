from typing import Literal, cast

PlannedWavesWavesItemAction = Literal["drop", "expire", "send"]


def check_planned_waves_waves_item_action(value: str) -> PlannedWavesWavesItemAction:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(PlannedWavesWavesItemAction, value)
