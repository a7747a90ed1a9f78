from typing import Literal, cast

FoundDeliveryOutcome = Literal[
    "accepted",
    "ambiguous",
    "capped",
    "dropped",
    "expired",
    "no_token",
    "rejected",
    "unregistered",
]


def check_found_delivery_outcome(value: str) -> FoundDeliveryOutcome:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(FoundDeliveryOutcome, value)
