from typing import Literal, cast

SearchDeliveriesPlatform = Literal["Android", "iOS"]


def check_search_deliveries_platform(value: str) -> SearchDeliveriesPlatform:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(SearchDeliveriesPlatform, value)
