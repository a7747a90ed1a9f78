from typing import Literal, cast

OverviewOverviewAttentionItemCode = Literal[
    "credentials_missing",
    "notifications_troubled",
    "pushes_rejected",
    "route_paused",
    "tokens_dead",
    "webhook_failing",
]


def check_overview_overview_attention_item_code(
    value: str,
) -> OverviewOverviewAttentionItemCode:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(OverviewOverviewAttentionItemCode, value)
