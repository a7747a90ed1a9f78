from typing import Literal, cast

DeviceOutcomeOutcome = Literal[
    "accepted",
    "ambiguous",
    "capped",
    "dropped",
    "expired",
    "no_token",
    "rejected",
    "unregistered",
]


def check_device_outcome_outcome(value: str) -> DeviceOutcomeOutcome:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeviceOutcomeOutcome, value)
