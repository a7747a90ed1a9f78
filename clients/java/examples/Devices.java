import io.github.carillonpush.Carillon;
import io.github.carillonpush.CustomAttribute;
import io.github.carillonpush.Filter;
import io.github.carillonpush.Target;
import io.github.carillonpush.model.AndroidRegistration;
import io.github.carillonpush.model.DeviceEvent;
import io.github.carillonpush.model.DeviceRegistration;
import io.github.carillonpush.model.DeviceUpdate;
import io.github.carillonpush.model.IosRegistration;
import io.github.carillonpush.model.LookUpDevices;
import io.github.carillonpush.model.NotificationRequest;
import io.github.carillonpush.model.Payload;
import io.github.carillonpush.model.Place;
import io.github.carillonpush.model.RegisterDevice;
import io.github.carillonpush.model.RegisteredDevice;
import io.github.carillonpush.model.ReportEvents;
import io.github.carillonpush.model.UpdateDevice;
import io.github.carillonpush.model.UpdateUser;
import io.github.carillonpush.model.UpdateUserUser;
import java.math.BigDecimal;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;

/** The sections about devices, users and events, after the first push of README.md. */
final class Devices {
  private Devices() {}

  static void firstPush(Carillon carillon) {
    carillon.register(
        new IosRegistration()
            .pushToken("00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0")
            .locale("fr_FR")
            .appVersion("2.1")
            .tags(List.of("beta"))
            .custom(Map.of("plan", CustomAttribute.ofText("gold"))));
    Payload payload = new Payload().alert("Bonjour !").sound("bell.caf");
    payload.putAdditionalProperty("order_id", 4711);
    Target french =
        Target.where(
            Filter.of("locale", "fr_FR", "fr_CA"),
            Filter.of("app_version", Map.of("gte", "2.0")),
            Filter.of("custom.string.plan", "free").negated());
    carillon.send(new NotificationRequest().to(french).payload(payload));
  }

  /** Returns the id of the device. */
  static String registerDevices(Carillon carillon) {
    AndroidRegistration registration =
        new AndroidRegistration()
            .platform(AndroidRegistration.PlatformEnum.ANDROID)
            .pushToken("fGhJ7kQ2:APA91bF-sample")
            .locale("en_GB")
            .timeZone("Europe/London")
            .osName("Android")
            .osVersion("16")
            .appVersion("2.10.1")
            .marketingName("Pixel 10")
            .userId("user-17")
            .notificationsAllowed(AndroidRegistration.NotificationsAllowedEnum.ENABLED)
            .tags(List.of("beta", "news"))
            .location(new Place().latitude(new BigDecimal("51.5072")).longitude(new BigDecimal("-0.1276")))
            .custom(
                Map.of(
                    "visits", CustomAttribute.ofIntegers(41L), "teams", CustomAttribute.ofText("reds", "blues")));
    RegisteredDevice registered =
        carillon.devices().registerDevice(new RegisterDevice().device(new DeviceRegistration(registration)));
    Api.show("Devices > Register a device", registered);
    String id = registered.getDevice().getId();

    Api.show("Devices > Read a device", carillon.devices().readDevice(id).getDevice().getTags());
    Api.show("Devices > Look a device up", carillon.devices().lookUpDevices(new LookUpDevices().query("user-17")));
    Api.show("Devices > Read the state of its push token", carillon.devices().readPushToken(id));
    Api.show("Devices > List its last outcomes", carillon.allOutcomes(id).toList());

    DeviceUpdate update =
        new DeviceUpdate()
            .appVersion("2.11")
            .tags(List.of("news"))
            .custom(Map.of("visits", CustomAttribute.ofIntegers(42L)));
    Api.show("Devices > Update a device", carillon.devices().updateDevice(id, new UpdateDevice().device(update)));

    String old = carillon.register(new AndroidRegistration().pushToken("an-old-token")).getId();
    carillon.devices().eraseDevice(old);
    Api.show("Devices > Erase a device", null);

    String lines =
        """
        { "platform": "Android", "push_token": "imported-1", "locale": "de_DE", "tags": ["news"] }
        { "platform": "Android", "push_token": "imported-2", "locale": "Deutsch" }
        { "platform": "Android", "push_token": "null" }
        """;
    Api.show("Devices > Import devices", carillon.importDevices(HttpRequest.BodyPublishers.ofString(lines)));

    BigDecimal south = new BigDecimal(48);
    BigDecimal west = new BigDecimal(-5);
    BigDecimal north = new BigDecimal(56);
    BigDecimal east = new BigDecimal(5);
    Api.show("Devices > Map devices", carillon.devices().readDeviceMap(south, west, north, east).getCells());
    return id;
  }

  static void reportEvents(Carillon carillon, String deviceId) {
    carillon
        .devices()
        .reportDeviceEvents(
            deviceId,
            new ReportEvents()
                .addEventsItem(new DeviceEvent().name("purchase"))
                .addEventsItem(new DeviceEvent().name("purchase").date("2026-11-20T18:30:00Z"))
                .addEventsItem(new DeviceEvent().name("viewed_offer").source("Mixpanel")));
    ReportEvents renewed = new ReportEvents().addEventsItem(new DeviceEvent().name("renewed"));
    Api.show("Users and events > Report events", carillon.users().reportUserEvents("user-17", renewed));

    UpdateUserUser user = new UpdateUserUser().custom(Map.of("plan", CustomAttribute.ofText("gold")));
    Api.show(
        "Users and events > Set custom attributes of a user",
        carillon.users().updateUser("user-17", new UpdateUser().user(user)));
  }
}
