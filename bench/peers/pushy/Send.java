import com.eatthepath.json.JsonParser;
import com.eatthepath.pushy.apns.ApnsClient;
import com.eatthepath.pushy.apns.ApnsClientBuilder;
import com.eatthepath.pushy.apns.DeliveryPriority;
import com.eatthepath.pushy.apns.PushType;
import com.eatthepath.pushy.apns.auth.ApnsSigningKey;
import com.eatthepath.pushy.apns.util.SimpleApnsPayloadBuilder;
import com.eatthepath.pushy.apns.util.SimpleApnsPushNotification;
import io.netty.channel.nio.NioEventLoopGroup;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends by pushy, by its best practices: a thread and a connection for each core, and a semaphore for flow control. */
class Send {
  private final String topic;
  private final String notificationId;
  private final int inFlight;
  private final List<String> tokens;
  private final ApnsClient client;

  public static void main(String[] arguments) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    var sender = new Send(new JsonParser().parseJsonObject(lines.readLine()));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(sender.send(new JsonParser().parseJsonObject(line)));
    }
    System.exit(0);
  }

  private Send(Map<String, Object> given) throws Exception {
    topic = (String) given.get("topic");
    notificationId = (String) given.get("notificationId");
    inFlight = ((Number) given.get("inFlight")).intValue();
    tokens = Files.readAllLines(Path.of((String) given.get("tokensFile")));
    var keyFile = new File((String) given.get("keyFile"));
    int cores = Runtime.getRuntime().availableProcessors();
    client = new ApnsClientBuilder()
        .setApnsServer((String) given.get("host"), ((Number) given.get("port")).intValue())
        .setTrustedServerCertificateChain(new File((String) given.get("caFile")))
        .setSigningKey(ApnsSigningKey.loadFromPkcs8File(
            keyFile, (String) given.get("teamId"), (String) given.get("keyId")))
        .setUseAlpn(true) // Apple speaks HTTP/2 without being asked, other servers do not
        .setEventLoopGroup(new NioEventLoopGroup(cores))
        .setConcurrentConnections(cores)
        .build();
  }

  private String send(Map<String, Object> run) throws InterruptedException {
    int first = ((Number) run.get("first")).intValue();
    int count = ((Number) run.get("count")).intValue();
    boolean different = (Boolean) run.get("different");
    var free = new Semaphore(inFlight);
    var accepted = new AtomicInteger();
    var equal = payload("Hello");
    long startedNs = System.nanoTime();
    for (int number = first; number < first + count; number++) {
      free.acquire();
      var body = different ? payload("Hello user-" + number) : equal;
      var push = new SimpleApnsPushNotification(tokens.get(number), topic, body, Instant.EPOCH,
          DeliveryPriority.IMMEDIATE, PushType.ALERT, notificationId);
      client.sendNotification(push).whenComplete((answer, failure) -> {
        if (failure == null && answer.isAccepted()) accepted.incrementAndGet();
        free.release();
      });
    }
    free.acquire(inFlight);
    return "{\"accepted\":" + accepted + ",\"ms\":" + (System.nanoTime() - startedNs) / 1e6 + "}";
  }

  private String payload(String alert) {
    return new SimpleApnsPayloadBuilder()
        .setAlertBody(alert)
        .addCustomProperty("order_id", 4711)
        .addCustomProperty("_nid", notificationId)
        .build();
  }
}
