from typing import Literal, cast

ListedAudienceKind = Literal["everyone", "named", "on_the_fly"]


def check_listed_audience_kind(value: str) -> ListedAudienceKind:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ListedAudienceKind, value)
