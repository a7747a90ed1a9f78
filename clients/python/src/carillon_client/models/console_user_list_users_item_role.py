from typing import Literal, cast

ConsoleUserListUsersItemRole = Literal["admin", "sender", "viewer"]


def check_console_user_list_users_item_role(value: str) -> ConsoleUserListUsersItemRole:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ConsoleUserListUsersItemRole, value)
