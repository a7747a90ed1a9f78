import io.github.carillonpush.Carillon;
import io.github.carillonpush.Target;
import io.github.carillonpush.model.CountNewerNotificationsQuery;
import io.github.carillonpush.model.ExportDeliveriesQuery;
import io.github.carillonpush.model.FoundDelivery;
import io.github.carillonpush.model.ListNotificationsQuery;
import io.github.carillonpush.model.Notification;
import io.github.carillonpush.model.NotificationList;
import io.github.carillonpush.model.NotificationProgress;
import io.github.carillonpush.model.NotificationRequest;
import io.github.carillonpush.model.Payload;
import io.github.carillonpush.model.Receipt;
import io.github.carillonpush.model.SearchDeliveriesQuery;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The sections about following a notification. */
final class Following {
  private Following() {}

  static void followNotification(Carillon carillon, String id, String deviceId) {
    try (Stream<NotificationProgress> changes = carillon.watchNotification(id)) {
      Api.show("Follow a notification > Watch it", changes.reduce((before, after) -> after).orElseThrow());
    }
    Api.show("Follow a notification > Read it", carillon.readNotification(id));

    Stream<NotificationList> pages =
        Carillon.pages(cursor -> carillon.listNotifications(new ListNotificationsQuery().per(1).cursor(cursor)));
    List<String> ids = pages.flatMap(page -> page.notifications().stream()).map(Notification::id).toList();
    Api.show("Follow a notification > List them", ids);

    String newest = carillon.listNotifications().meta().newest();
    Api.show(
        "Follow a notification > Count newer ones",
        carillon.countNewerNotifications(new CountNewerNotificationsQuery().than(newest)));

    Api.show("Follow a notification > Ask why devices did not get it", carillon.readNotificationReport(id));
    Api.show("Follow a notification > Ask what became of one device", carillon.readDelivery(id, deviceId));
    Api.show(
        "Follow a notification > Ask why a device did not get it", carillon.explainDelivery(id, deviceId));
    Api.show(
        "Follow a notification > Find devices by outcome",
        carillon.searchDeliveries(id, new SearchDeliveriesQuery().outcome("accepted").per(1)));
    ExportDeliveriesQuery accepted = new ExportDeliveriesQuery().outcome("accepted");
    try (Stream<FoundDelivery> exported = carillon.exportDeliveries(id, accepted)) {
      Api.check(exported.map(FoundDelivery::deviceId).toList().equals(List.of(deviceId)), "there is one device");
    }

    carillon.reportOpen(id, deviceId);
    Api.show("Follow a notification > Report that it was opened", Map.of());
    Api.show(
        "Follow a notification > Report that it was received",
        carillon.reportReceipts(
            List.of(
                new Receipt().notification(id).device(deviceId).shown(true),
                new Receipt().notification("last week's").device(deviceId))));
    Api.show("Follow a notification > Read its numbers", carillon.readNotificationStats(id));

    Instant inAnHour = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS).plusMillis(1);
    NotificationRequest later =
        new NotificationRequest()
            .to(Target.everyone())
            .deliverAt(inAnHour.toString())
            .payload(new Payload().alert("Soon"));
    String laterId = carillon.createNotification(later).id();
    Api.show("Follow a notification > Cancel it", carillon.cancelNotification(laterId));
  }
}
