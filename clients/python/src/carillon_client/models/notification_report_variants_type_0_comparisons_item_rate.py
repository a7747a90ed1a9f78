from typing import Literal, cast

NotificationReportVariantsType0ComparisonsItemRate = Literal[
    "opened", "received", "shown"
]


def check_notification_report_variants_type_0_comparisons_item_rate(
    value: str,
) -> NotificationReportVariantsType0ComparisonsItemRate:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(NotificationReportVariantsType0ComparisonsItemRate, value)
