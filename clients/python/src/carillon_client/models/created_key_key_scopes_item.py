from typing import Literal, cast

CreatedKeyKeyScopesItem = Literal["admin", "read", "register", "write"]


def check_created_key_key_scopes_item(value: str) -> CreatedKeyKeyScopesItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(CreatedKeyKeyScopesItem, value)
