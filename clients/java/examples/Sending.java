import io.github.carillonpush.Carillon;
import io.github.carillonpush.Filter;
import io.github.carillonpush.Target;
import io.github.carillonpush.model.BatchEntry;
import io.github.carillonpush.model.BatchItem;
import io.github.carillonpush.model.CreatedNotification;
import io.github.carillonpush.model.DeliverAtLocal;
import io.github.carillonpush.model.DeviceQuietHours;
import io.github.carillonpush.model.DeviceUpdate;
import io.github.carillonpush.model.NotificationRequest;
import io.github.carillonpush.model.Payload;
import io.github.carillonpush.model.PreviewNotification;
import io.github.carillonpush.model.RegisteredDevice;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The sections about sending, and the hours and caps that an app sets. */
final class Sending {
  private Sending() {}

  private static NotificationRequest saying(String alert) {
    return new NotificationRequest().payload(new Payload().alert(alert));
  }

  /** Returns the first notification. */
  static CreatedNotification sendNotifications(Carillon carillon) {
    Payload onItsWay = new Payload().title("Order 4711").alert("It is on its way.");
    Api.show(
        "Send a notification > Preview it",
        carillon.previewNotification(
            new PreviewNotification()
                .notification(
                    new NotificationRequest().to(Target.everyone()).payload(onItsWay).timeToLive(3600))));
    Api.show("Send a notification > Count its devices", carillon.countNotification(Target.everyone()));

    NotificationRequest notification =
        new NotificationRequest()
            .to(Target.where(Filter.of("user_id", "user-17")))
            .payload(onItsWay.with("order_id", 4711))
            .timeToLive(3600)
            .priority("high");
    // Without a key of its own, the client makes one.
    CreatedNotification sent = carillon.createNotification(notification, "order-4711-shipped");
    Api.show("Send a notification", sent);

    List<BatchItem> items =
        List.of(
            new BatchItem().notification(saying("Hello Anna").to(Target.user("user-17"))).idempotencyKey("hello-17"),
            new BatchItem()
                .notification(saying("Hello").to(Target.audience("b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11"))));
    List<BatchEntry> entries = carillon.createNotifications(items);
    Api.show("Send a notification > Send up to 1,000 in one call", entries);
    Api.check(entries.get(0).status() == 201, "the first one is stored");
    Api.check(entries.get(1).code().equals("not_found"), "there is no such audience");
    return sent;
  }

  static void setMoments(Carillon carillon, String deviceId) {
    String inThreeDays = LocalDate.now(ZoneOffset.UTC).plusDays(3) + "T09:00:00";
    carillon.createNotification(
        saying("Good morning")
            .to(Target.everyone())
            .deliverAtLocal(new DeliverAtLocal().time(inThreeDays).noTimeZone("Europe/Berlin"))
            .spreadOver("PT15M"));
    Api.show(
        "Send a notification > At local time",
        carillon.planNotificationWaves(
            saying("Good morning")
                .to(Target.everyone())
                .deliverAtLocal(new DeliverAtLocal().time(inThreeDays).noTimeZone("skip"))));

    Map<String, String> hours =
        Map.of("from", "22:00", "to", "08:00", "no_time_zone", "Europe/Berlin", "action", "hold");
    carillon.call("PUT", "/v6/app/quiet-hours", Map.of("quiet_hours", hours));
    Api.show(
        "Send a notification > Quiet hours",
        carillon.call("PUT", "/v6/app/quiet-hours", Collections.singletonMap("quiet_hours", null)));

    DeviceQuietHours own =
        new DeviceQuietHours()
            .from("22:00")
            .to("07:00")
            .days(List.of("sunday", "monday", "tuesday", "wednesday", "thursday"));
    RegisteredDevice updated = carillon.updateDevice(deviceId, new DeviceUpdate().quietHours(own));
    Api.show(
        "Send a notification > Quiet hours > Quiet hours of a device", updated.device().quietHours());
    carillon.updateDevice(deviceId, new DeviceUpdate().quietHours(null));

    List<Map<String, Object>> limits =
        List.of(Map.of("at_most", 2, "per", "P1D"), Map.of("at_most", 5, "per", "P7D"));
    Map<String, Object> cap = Map.of("group", "marketing", "by", "user", "limits", limits);
    Api.show(
        "Send a notification > Frequency caps",
        carillon.call("PUT", "/v6/app/frequency-caps", Map.of("frequency_caps", List.of(cap))));
  }
}
