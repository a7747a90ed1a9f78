from typing import Literal, cast

DeliveryExplanationCausesItemCode = Literal[
    "accepted",
    "app_draws",
    "canceled",
    "capped",
    "changed_since",
    "credentials_refused",
    "device_erased",
    "device_unknown",
    "device_younger",
    "dry_run",
    "expired",
    "failed",
    "left_out",
    "low_priority",
    "no_credentials",
    "no_named_token",
    "no_token",
    "not_answered",
    "not_in_audience",
    "nothing_to_show",
    "notifications_disabled",
    "opened",
    "outcome_not_kept",
    "refused",
    "replaced",
    "route_paused",
    "scheduled",
    "sending",
    "time_to_live",
    "token_is_back",
    "token_moved",
    "token_refused",
    "token_retired",
    "token_set_aside",
    "waits_for_wave",
]


def check_delivery_explanation_causes_item_code(
    value: str,
) -> DeliveryExplanationCausesItemCode:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(DeliveryExplanationCausesItemCode, value)
