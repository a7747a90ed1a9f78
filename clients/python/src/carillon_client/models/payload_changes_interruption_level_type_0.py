from typing import Literal, cast

PayloadChangesInterruptionLevelType0 = Literal[
    "active", "critical", "passive", "time-sensitive"
]


def check_payload_changes_interruption_level_type_0(
    value: str,
) -> PayloadChangesInterruptionLevelType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(PayloadChangesInterruptionLevelType0, value)
