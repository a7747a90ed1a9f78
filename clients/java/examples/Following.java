import io.github.carillonpush.Carillon;
import io.github.carillonpush.Target;
import io.github.carillonpush.api.NotificationsApi;
import io.github.carillonpush.model.Notification;
import io.github.carillonpush.model.NotificationList;
import io.github.carillonpush.model.NotificationProgress;
import io.github.carillonpush.model.NotificationRequest;
import io.github.carillonpush.model.Payload;
import io.github.carillonpush.model.Receipt;
import io.github.carillonpush.model.ReportOpen;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;

/** The sections about following a notification. */
final class Following {
  private Following() {}

  static void followNotification(Carillon carillon, String id, String deviceId) {
    NotificationsApi notifications = carillon.notifications();
    try (Stream<NotificationProgress> changes = carillon.watch(id)) {
      Api.show("Follow a notification > Watch it", changes.reduce((before, after) -> after).orElseThrow());
    }
    Api.show("Follow a notification > Read it", notifications.readNotification(id));

    // With a filter, or another length of pages than allNotifications() has:
    Stream<Notification> one =
        Carillon.pages(
            cursor -> notifications.listNotifications(1, cursor, null, null, null),
            NotificationList::getNotifications,
            page -> page.getMeta().getCursor());
    List<String> ids = one.map(Notification::getId).toList();
    Api.check(ids.equals(carillon.allNotifications().map(Notification::getId).toList()), "the lists differ");
    Api.show("Follow a notification > List them", ids);

    String newest = notifications.listNotifications(1, null, null, null, null).getMeta().getNewest();
    Api.show(
        "Follow a notification > Count newer ones",
        notifications.countNewerNotifications(newest, null, null, null));

    Api.show("Follow a notification > Ask why devices did not get it", notifications.readNotificationReport(id));
    Api.show("Follow a notification > Ask what became of one device", notifications.readDelivery(id, deviceId));
    Api.show(
        "Follow a notification > Ask why a device did not get it", carillon.devices().explainDelivery(id, deviceId));
    Api.show(
        "Follow a notification > Find devices by outcome",
        notifications.searchDeliveries(id, "accepted", null, null, null, null, 1, null));
    Api.check(carillon.allDeliveries(id).count() == 1, "there is one device");
    try (Stream<?> exported = carillon.exportDeliveries(id)) {
      Api.check(exported.count() == 1, "there is one device");
    }

    Api.show(
        "Follow a notification > Report that it was opened",
        notifications.reportOpen(id, new ReportOpen().deviceId(deviceId)));
    Api.show(
        "Follow a notification > Report that it was received",
        notifications.reportReceipts(
            List.of(
                new Receipt().notification(id).device(deviceId).shown(true),
                new Receipt().notification("last week's").device(deviceId))));
    Api.show("Follow a notification > Read its numbers", notifications.readNotificationStats(id));

    Instant inAnHour = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS).plusMillis(1);
    NotificationRequest later =
        new NotificationRequest()
            .to(Target.everyone())
            .deliverAt(inAnHour.toString())
            .payload(new Payload().alert("Soon"));
    Api.show(
        "Follow a notification > Cancel it", notifications.cancelNotification(carillon.send(later).getId()));
  }
}
