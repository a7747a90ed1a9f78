package io.github.carillonpush;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.carillonpush.api.AudiencesApi;
import io.github.carillonpush.api.AuditApi;
import io.github.carillonpush.api.ConsoleApi;
import io.github.carillonpush.api.DevicesApi;
import io.github.carillonpush.api.NotificationsApi;
import io.github.carillonpush.api.ServiceApi;
import io.github.carillonpush.api.SettingsApi;
import io.github.carillonpush.api.UsersApi;
import io.github.carillonpush.api.WebhooksApi;
import io.github.carillonpush.invoker.ApiClient;
import io.github.carillonpush.model.AndroidRegistration;
import io.github.carillonpush.model.AuditEntry;
import io.github.carillonpush.model.BatchItem;
import io.github.carillonpush.model.CreateNotification;
import io.github.carillonpush.model.CreatedNotification;
import io.github.carillonpush.model.Device;
import io.github.carillonpush.model.DeviceOutcome;
import io.github.carillonpush.model.DeviceRegistration;
import io.github.carillonpush.model.FoundDelivery;
import io.github.carillonpush.model.ImportResult;
import io.github.carillonpush.model.IosRegistration;
import io.github.carillonpush.model.ListedAudience;
import io.github.carillonpush.model.Notification;
import io.github.carillonpush.model.NotificationProgress;
import io.github.carillonpush.model.NotificationRequest;
import io.github.carillonpush.model.RegisterDevice;
import io.github.carillonpush.model.RegisteredDeviceDevice;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A client of one server with one API key. Several threads may use it at once.
 *
 * <p>{@link #notifications()} and the like have every call of the API; the other methods are shorter ones for the calls that a
 * back end makes most. All of them sign in, keep a limit of time, send again what failed for a moment, and throw a {@link
 * CarillonException}.
 */
public final class Carillon {
  private final ApiClient client;
  private final Streams streams;

  private Carillon(String url, Transport.Settings settings) {
    Transport transport = new Transport(settings);
    ObjectMapper json = Json.newMapper();
    client =
        new ApiClient(HttpClient.newBuilder(), json, url) {
          @Override
          public HttpClient getHttpClient() {
            return transport;
          }
        };
    streams = new Streams(url, settings.client(), transport, json);
  }

  /**
   * Begins a client.
   *
   * @param url the address of the server: {@code https://push.example.com}
   * @param key an API key of the app ({@code carillon keys create})
   */
  public static Builder builder(String url, String key) {
    return new Builder(url, key);
  }

  /** Stores a notification, which is then sent. */
  public CreatedNotification send(NotificationRequest notification) {
    return send(notification, null);
  }

  /**
   * Stores a notification, which is then sent.
   *
   * @param idempotencyKey for 24 hours the server stores a notification once for a key, even if your program was started again:
   *     {@code order-4711-shipped}
   */
  public CreatedNotification send(NotificationRequest notification, String idempotencyKey) {
    return notifications().createNotification(new CreateNotification().notification(notification), idempotencyKey);
  }

  /**
   * Stores up to 1,000 notifications, each on its own: the server may take some and refuse others. Items without an
   * idempotency key get one.
   *
   * @return an entry for each, in their order
   */
  public List<BatchEntry> sendBatch(List<BatchItem> items) {
    return notifications().createNotifications(items);
  }

  /** Registers an installation of the app on an iPhone or iPad, or updates it. */
  public RegisteredDeviceDevice register(IosRegistration device) {
    return register(new DeviceRegistration(device.platform(IosRegistration.PlatformEnum.I_OS)));
  }

  /** Registers an installation of the app on Android, or updates it. */
  public RegisteredDeviceDevice register(AndroidRegistration device) {
    return register(new DeviceRegistration(device.platform(AndroidRegistration.PlatformEnum.ANDROID)));
  }

  private RegisteredDeviceDevice register(DeviceRegistration device) {
    return devices().registerDevice(new RegisterDevice().device(device)).getDevice();
  }

  /**
   * Registers any number of devices, which are read from a file or made while they are sent: one JSON object per line. It is
   * sent once, and without a limit of time.
   */
  public ImportResult importDevices(HttpRequest.BodyPublisher lines) {
    return streams.upload("/v6/devices/import", lines, ImportResult.class);
  }

  /** Lists the app's notifications, the newest first. */
  public Stream<Notification> allNotifications() {
    return pages(
        cursor -> notifications().listNotifications(null, cursor, null, null, null),
        page -> page.getNotifications(),
        page -> page.getMeta().getCursor());
  }

  /** Lists the devices of a notification that have an outcome. */
  public Stream<FoundDelivery> allDeliveries(String notificationId) {
    return pages(
        cursor -> notifications().searchDeliveries(notificationId, null, null, null, null, null, null, cursor),
        page -> page.getDeliveries(),
        page -> page.getMeta().getCursor());
  }

  /** Lists the app's stored audiences. */
  public Stream<ListedAudience> allAudiences() {
    return pages(
        cursor -> audiences().listAudiences(null, cursor, null, null),
        page -> page.getAudiences(),
        page -> page.getMeta().getCursor());
  }

  /** Lists the devices that are in an audience now. */
  public Stream<Device> allDevices(String audienceId) {
    return pages(
        cursor -> audiences().listAudienceDevices(audienceId, cursor),
        page -> page.getDevices(),
        page -> page.getMeta().getCursor());
  }

  /** Lists what became of notifications for a device, the newest first. */
  public Stream<DeviceOutcome> allOutcomes(String deviceId) {
    return pages(
        cursor -> devices().listDeviceOutcomes(deviceId, cursor),
        page -> page.getOutcomes(),
        page -> page.getMeta().getCursor());
  }

  /** Lists who changed what, the newest first. The key needs the permission {@code admin}. */
  public Stream<AuditEntry> wholeAuditLog() {
    return pages(
        cursor -> audit().listAudit(null, null, null, null, null, null, cursor),
        page -> page.getEntries(),
        page -> page.getMeta().getCursor());
  }

  /**
   * The items of a list, whose next page is read when it is needed.
   *
   * @param read reads the page at a cursor, which is null for the first one
   */
  public static <P, T> Stream<T> pages(
      Function<String, P> read, Function<P, List<T>> items, Function<P, String> nextCursor) {
    return Stream.iterate(read.apply(null), page -> page != null, page -> next(read, nextCursor.apply(page)))
        .flatMap(page -> items.apply(page).stream());
  }

  private static <P> P next(Function<String, P> read, String cursor) {
    return cursor == null ? null : read.apply(cursor);
  }

  /** The progress of a notification, whenever it changes, until it has ended. Close the stream if you leave it before. */
  public Stream<NotificationProgress> watch(String notificationId) {
    return streams.events("/v6/notifications/" + notificationId + "/live", NotificationProgress.class);
  }

  /** Every device of a notification that has an outcome, as the reply comes. Close the stream if you leave it before its end. */
  public Stream<FoundDelivery> exportDeliveries(String notificationId) {
    return streams.lines("/v6/notifications/" + notificationId + "/deliveries/export", FoundDelivery.class);
  }

  /** Every entry of the audit log, as the reply comes. Close the stream if you leave it before its end. */
  public Stream<AuditEntry> exportAudit() {
    return streams.lines("/v6/audit/export", AuditEntry.class);
  }

  public NotificationsApi notifications() {
    return new KeyedNotificationsApi(client);
  }

  public AudiencesApi audiences() {
    return new AudiencesApi(client);
  }

  public DevicesApi devices() {
    return new DevicesApi(client);
  }

  public UsersApi users() {
    return new UsersApi(client);
  }

  public WebhooksApi webhooks() {
    return new WebhooksApi(client);
  }

  public SettingsApi settings() {
    return new SettingsApi(client);
  }

  public AuditApi audit() {
    return new AuditApi(client);
  }

  public ConsoleApi console() {
    return new ConsoleApi(client);
  }

  public ServiceApi service() {
    return new ServiceApi(client);
  }

  /** The settings of a client. */
  public static final class Builder {
    private final String url;
    private final String authorization;
    private HttpClient httpClient;
    private Duration tryTimeout = Duration.ofSeconds(30);
    private Duration callTimeout = Duration.ofMinutes(2);
    private int retries = 4;
    private Duration backoff = Duration.ofMillis(250);
    private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
    private Transport.Pause pause = time -> Thread.sleep(time.toMillis());

    private Builder(String url, String key) {
      URI address = URI.create(url);
      boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
      if (!isHttp || address.getHost() == null) {
        throw new IllegalArgumentException(url + " is not the http or https address of a server");
      }
      this.url = url.replaceFirst("/+$", "");
      byte[] credentials = (":" + key).getBytes(StandardCharsets.UTF_8);
      authorization = "Basic " + Base64.getEncoder().encodeToString(credentials);
    }

    /** Sends through this client, such as one with a proxy. */
    public Builder httpClient(HttpClient client) {
      httpClient = client;
      return this;
    }

    /** The time for one try; 30 seconds by default: the server counts an audience for 20 at most. */
    public Builder tryTimeout(Duration timeout) {
      tryTimeout = timeout;
      return this;
    }

    /** The time for a call with all its tries; 2 minutes by default. */
    public Builder callTimeout(Duration timeout) {
      callTimeout = timeout;
      return this;
    }

    /** How often a call is sent again; 4 times by default, 0 for never. */
    public Builder retries(int times) {
      retries = times;
      return this;
    }

    /**
     * The longest wait before a call is sent again, 250 ms by default. It doubles with each further time, up to 10 s; the real
     * wait is a random part of it, so that many clients do not come back at once.
     */
    public Builder backoff(Duration longest) {
      backoff = longest;
      return this;
    }

    /** For tests: how long to wait, and how. */
    Builder waiting(DoubleSupplier random, Transport.Pause pause) {
      this.random = random;
      this.pause = pause;
      return this;
    }

    public Carillon build() {
      // HTTP/2 without TLS begins with an upgrade, which some proxies do not like.
      HttpClient.Version version = url.startsWith("https") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
      HttpClient sending =
          httpClient != null
              ? httpClient
              : HttpClient.newBuilder().version(version).connectTimeout(tryTimeout).build();
      return new Carillon(
          url,
          new Transport.Settings(
              sending, authorization, tryTimeout, callTimeout, retries, backoff, random, pause));
    }
  }
}
