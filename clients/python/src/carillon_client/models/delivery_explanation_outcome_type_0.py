from typing import Literal, cast

DeliveryExplanationOutcomeType0 = Literal[
    "accepted",
    "ambiguous",
    "capped",
    "dropped",
    "expired",
    "no_token",
    "rejected",
    "unregistered",
]


def check_delivery_explanation_outcome_type_0(
    value: str,
) -> DeliveryExplanationOutcomeType0:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeliveryExplanationOutcomeType0, value)
