from typing import Literal, cast

ExportDeliveriesFormat = Literal["csv", "ndjson"]


def check_export_deliveries_format(value: str) -> ExportDeliveriesFormat:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ExportDeliveriesFormat, value)
