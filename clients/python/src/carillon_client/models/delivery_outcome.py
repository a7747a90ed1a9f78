from typing import Literal, cast

DeliveryOutcome = Literal[
    "accepted",
    "ambiguous",
    "capped",
    "dropped",
    "expired",
    "no_token",
    "not_targeted",
    "pending",
    "rejected",
    "unregistered",
]


def check_delivery_outcome(value: str) -> DeliveryOutcome:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeliveryOutcome, value)
