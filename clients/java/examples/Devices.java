import io.github.carillonpush.Carillon;
import io.github.carillonpush.CustomAttribute;
import io.github.carillonpush.Filter;
import io.github.carillonpush.Target;
import io.github.carillonpush.model.DeviceEvent;
import io.github.carillonpush.model.DeviceRegistration;
import io.github.carillonpush.model.DeviceUpdate;
import io.github.carillonpush.model.NotificationRequest;
import io.github.carillonpush.model.Payload;
import io.github.carillonpush.model.Place;
import io.github.carillonpush.model.RegisteredDevice;
import io.github.carillonpush.model.ReportUserEvents;
import io.github.carillonpush.model.UserUpdate;
import java.util.List;
import java.util.Map;

/** The sections about devices, users and events, after the first push of README.md. */
final class Devices {
  private Devices() {}

  private static DeviceRegistration android(String pushToken) {
    return new DeviceRegistration().platform("Android").pushToken(pushToken);
  }

  static void firstPush(Carillon carillon) {
    carillon.registerDevice(
        new DeviceRegistration()
            .platform("iOS")
            .pushToken("00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0")
            .locale("fr_FR")
            .appVersion("2.1")
            .tags(List.of("beta"))
            .custom(Map.of("plan", CustomAttribute.ofText("gold"))));
    Target french =
        Target.where(
            Filter.of("locale", "fr_FR", "fr_CA"),
            Filter.of("app_version", Map.of("gte", "2.0")),
            Filter.of("custom.string.plan", "free").negated());
    Payload payload = new Payload().alert("Bonjour !").sound("bell.caf").with("order_id", 4711);
    carillon.createNotification(new NotificationRequest().to(french).payload(payload));
  }

  /** Returns the id of the device. */
  static String registerDevices(Carillon carillon) {
    RegisteredDevice registered =
        carillon.registerDevice(
            android("fGhJ7kQ2:APA91bF-sample")
                .locale("en_GB")
                .timeZone("Europe/London")
                .osName("Android")
                .osVersion("16")
                .appVersion("2.10.1")
                .marketingName("Pixel 10")
                .userId("user-17")
                .notificationsAllowed("Enabled")
                .tags(List.of("beta", "news"))
                .location(new Place().latitude(51.5072).longitude(-0.1276))
                .custom(
                    Map.of(
                        "visits", CustomAttribute.ofIntegers(41L),
                        "teams", CustomAttribute.ofText("reds", "blues"))));
    Api.show("Devices > Register a device", registered);
    String id = registered.device().id();

    Api.show("Devices > Read a device", carillon.readDevice(id).device().tags());
    Api.show("Devices > Look a device up", carillon.lookUpDevices("user-17"));
    Api.show("Devices > Read the state of its push token", carillon.readPushToken(id));
    Api.show("Devices > List its pushes", carillon.listDevicePushes(id));

    DeviceUpdate update =
        new DeviceUpdate()
            .appVersion("2.11")
            .tags(List.of("news"))
            .custom(Map.of("visits", CustomAttribute.ofIntegers(42L)));
    Api.show("Devices > Update a device", carillon.updateDevice(id, update));

    carillon.eraseDevice(carillon.registerDevice(android("an-old-token")).device().id());
    Api.show("Devices > Erase a device", null);

    Api.show(
        "Devices > Import devices",
        carillon.importDevices(
            List.of(
                android("imported-1").locale("de_DE").tags(List.of("news")),
                android("imported-2").locale("Deutsch"),
                android("null"))));

    return id;
  }

  static void reportEvents(Carillon carillon, String deviceId) {
    carillon.reportDeviceEvents(
        deviceId,
        List.of(
            new DeviceEvent().name("purchase"),
            new DeviceEvent().name("purchase").date("2026-11-20T18:30:00Z"),
            new DeviceEvent().name("viewed_offer").source("Mixpanel")));
    carillon.reportUserEvents(
        "user-17", new ReportUserEvents().events(List.of(new DeviceEvent().name("renewed"))));
    Api.show("Users and events > Report events", Map.of());

    UserUpdate user = new UserUpdate().custom(Map.of("plan", CustomAttribute.ofText("gold")));
    Api.show("Users and events > Set custom attributes of a user", carillon.updateUser("user-17", user));
    Api.show("Users and events > List the pushes of a user", carillon.listUserPushes("user-17"));
  }
}
