from typing import Literal, cast

ListAudiencesKind = Literal["everyone", "named", "on_the_fly"]


def check_list_audiences_kind(value: str) -> ListAudiencesKind:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ListAudiencesKind, value)
