from typing import Literal, cast

ConsoleUserListUsersItemSignsIn = Literal["not_yet", "openid", "password"]


def check_console_user_list_users_item_signs_in(
    value: str,
) -> ConsoleUserListUsersItemSignsIn:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ConsoleUserListUsersItemSignsIn, value)
