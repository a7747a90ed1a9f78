from typing import Literal, cast

SearchDeliveriesOutcome = Literal[
    "accepted",
    "ambiguous",
    "capped",
    "dropped",
    "expired",
    "no_token",
    "rejected",
    "unregistered",
]


def check_search_deliveries_outcome(value: str) -> SearchDeliveriesOutcome:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(SearchDeliveriesOutcome, value)
