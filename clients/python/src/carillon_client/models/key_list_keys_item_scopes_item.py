from typing import Literal, cast

KeyListKeysItemScopesItem = Literal["admin", "read", "register", "write"]


def check_key_list_keys_item_scopes_item(value: str) -> KeyListKeysItemScopesItem:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(KeyListKeysItemScopesItem, value)
