import io.github.carillonpush.BatchEntry;
import io.github.carillonpush.Carillon;
import io.github.carillonpush.Filter;
import io.github.carillonpush.Target;
import io.github.carillonpush.model.BatchItem;
import io.github.carillonpush.model.CountNotification;
import io.github.carillonpush.model.CreateNotification;
import io.github.carillonpush.model.CreatedNotification;
import io.github.carillonpush.model.DeliverAtLocal;
import io.github.carillonpush.model.DeviceQuietHours;
import io.github.carillonpush.model.DeviceUpdate;
import io.github.carillonpush.model.NotificationRequest;
import io.github.carillonpush.model.Payload;
import io.github.carillonpush.model.PreviewNotification;
import io.github.carillonpush.model.QuietHoursRule;
import io.github.carillonpush.model.SetFrequencyCaps;
import io.github.carillonpush.model.SetFrequencyCapsFrequencyCapsInner;
import io.github.carillonpush.model.SetFrequencyCapsFrequencyCapsInnerLimitsInner;
import io.github.carillonpush.model.SetQuietHours;
import io.github.carillonpush.model.UpdateDevice;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/** The sections about sending, and the hours and caps that an app sets. */
final class Sending {
  private Sending() {}

  /** The first notification and its audience. */
  record Sent(String id, String audienceId) {}

  static Sent sendNotifications(Carillon carillon) {
    Payload withOrder = new Payload().title("Order 4711").alert("It is on its way.");
    withOrder.putAdditionalProperty("order_id", 4711);
    NotificationRequest notification =
        new NotificationRequest()
            .to(Target.where(Filter.of("user_id", "user-17")))
            .payload(withOrder)
            .timeToLive(3600)
            .priority(NotificationRequest.PriorityEnum.HIGH);
    // Without a key of its own, the client makes one.
    CreatedNotification sent = carillon.send(notification, "order-4711-shipped");
    Api.show("Send a notification", sent);

    NotificationRequest written =
        new NotificationRequest()
            .to(Target.everyone())
            .payload(new Payload().title("Order 4711").alert("It is on its way."))
            .timeToLive(3600);
    Api.show(
        "Send a notification > Preview it",
        carillon.notifications().previewNotification(new PreviewNotification().notification(written)));
    Api.show(
        "Send a notification > Count its devices",
        carillon.notifications().countNotification(new CountNotification().to(Target.everyone())));

    List<BatchItem> items =
        List.of(
            new BatchItem()
                .notification(
                    new NotificationRequest()
                        .to(Target.user("user-17"))
                        .payload(new Payload().alert("Hello Anna")))
                .idempotencyKey("hello-17"),
            new BatchItem()
                .notification(
                    new NotificationRequest()
                        .to(Target.audience("b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11"))
                        .payload(new Payload().alert("Hello"))));
    Api.show(
        "Send a notification > Send up to 1,000 in one call", carillon.notifications().createNotifications(items));
    List<BatchEntry> entries = carillon.sendBatch(items);
    Api.check(entries.get(0).stored().isPresent(), "the first one is stored");
    Api.check(entries.get(1).refusal().orElseThrow().code().equals("not_found"), "there is no such audience");
    return new Sent(sent.getId(), sent.getTo().getId());
  }

  static void setMoments(Carillon carillon, String deviceId) {
    String inThreeDays = LocalDate.now(ZoneOffset.UTC).plusDays(3) + "T09:00:00";
    Payload goodMorning = new Payload().alert("Good morning");
    carillon.send(
        new NotificationRequest()
            .to(Target.everyone())
            .payload(goodMorning)
            .deliverAtLocal(new DeliverAtLocal().time(inThreeDays).noTimeZone("Europe/Berlin"))
            .spreadOver("PT15M"));
    NotificationRequest planned =
        new NotificationRequest()
            .to(Target.everyone())
            .payload(goodMorning)
            .deliverAtLocal(new DeliverAtLocal().time(inThreeDays).noTimeZone("skip"));
    Api.show(
        "Send a notification > At local time",
        carillon.notifications().planNotificationWaves(new CreateNotification().notification(planned)));

    QuietHoursRule night =
        new QuietHoursRule()
            .from("22:00")
            .to("08:00")
            .noTimeZone("Europe/Berlin")
            .action(QuietHoursRule.ActionEnum.HOLD)
            .releaseOver("PT15M");
    carillon.settings().setQuietHours(new SetQuietHours().quietHours(night));
    Api.show(
        "Send a notification > Quiet hours",
        carillon.settings().setQuietHours(new SetQuietHours().quietHours(null)));

    DeviceQuietHours own =
        new DeviceQuietHours()
            .from("22:00")
            .to("07:00")
            .days(
                List.of(
                    DeviceQuietHours.DaysEnum.SUNDAY,
                    DeviceQuietHours.DaysEnum.MONDAY,
                    DeviceQuietHours.DaysEnum.TUESDAY,
                    DeviceQuietHours.DaysEnum.WEDNESDAY,
                    DeviceQuietHours.DaysEnum.THURSDAY));
    Api.show(
        "Send a notification > Quiet hours > Quiet hours of a device",
        carillon
            .devices()
            .updateDevice(deviceId, new UpdateDevice().device(new DeviceUpdate().quietHours(own)))
            .getDevice()
            .getQuietHours());
    carillon.devices().updateDevice(deviceId, new UpdateDevice().device(new DeviceUpdate().quietHours(null)));

    SetFrequencyCapsFrequencyCapsInner cap =
        new SetFrequencyCapsFrequencyCapsInner()
            .group("marketing")
            .by(SetFrequencyCapsFrequencyCapsInner.ByEnum.USER)
            .addLimitsItem(new SetFrequencyCapsFrequencyCapsInnerLimitsInner().atMost(2).per("P1D"))
            .addLimitsItem(new SetFrequencyCapsFrequencyCapsInnerLimitsInner().atMost(5).per("P7D"));
    Api.show(
        "Send a notification > Frequency caps",
        carillon.settings().setFrequencyCaps(new SetFrequencyCaps().addFrequencyCapsItem(cap)));
  }
}
