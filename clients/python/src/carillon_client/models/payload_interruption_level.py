from typing import Literal, cast

PayloadInterruptionLevel = Literal["active", "critical", "passive", "time-sensitive"]


def check_payload_interruption_level(value: str) -> PayloadInterruptionLevel:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(PayloadInterruptionLevel, value)
