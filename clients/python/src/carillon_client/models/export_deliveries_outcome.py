from typing import Literal, cast

ExportDeliveriesOutcome = Literal[
    "accepted",
    "ambiguous",
    "capped",
    "dropped",
    "expired",
    "no_token",
    "rejected",
    "unregistered",
]


def check_export_deliveries_outcome(value: str) -> ExportDeliveriesOutcome:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ExportDeliveriesOutcome, value)
