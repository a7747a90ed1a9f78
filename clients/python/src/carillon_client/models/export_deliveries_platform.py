from typing import Literal, cast

ExportDeliveriesPlatform = Literal["Android", "iOS"]


def check_export_deliveries_platform(value: str) -> ExportDeliveriesPlatform:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ExportDeliveriesPlatform, value)
