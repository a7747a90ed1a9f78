import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.NullNode;
import io.github.carillonpush.Carillon;
import io.github.carillonpush.invoker.ApiClient;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * docs/api.md in Java: the same calls in the same order. CARILLON_URL and CARILLON_KEY say where, and with which key. It prints
 * each reply as a line of JSON, with the section that it belongs to.
 */
public final class Api {
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private static final ObjectMapper JSON =
      ApiClient.createDefaultObjectMapper()
          .registerModule(new SimpleModule().addSerializer(OffsetDateTime.class, new InMilliseconds()));

  private Api() {}

  public static void main(String[] arguments) {
    Carillon carillon = Carillon.builder(System.getenv("CARILLON_URL"), System.getenv("CARILLON_KEY")).build();
    Devices.firstPush(carillon);
    String deviceId = Devices.registerDevices(carillon);
    Devices.reportEvents(carillon, deviceId);
    Sending.Sent sent = Sending.sendNotifications(carillon);
    Sending.setMoments(carillon, deviceId);
    Following.followNotification(carillon, sent.id(), deviceId);
    Audiences.askAboutAudiences(carillon, sent.audienceId(), deviceId);
    Admin.workAsAdmin(carillon);
    Admin.readTheApp(carillon);
  }

  static void show(String section, Object reply) {
    try {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("section", section);
      line.put("reply", reply == null ? NullNode.getInstance() : reply);
      OUT.println(JSON.writeValueAsString(line));
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static void check(boolean isRight, String what) {
    if (!isRight) throw new IllegalStateException(what);
  }

  /** As the API has times; Jackson drops zeros at the end. */
  private static final class InMilliseconds extends JsonSerializer<OffsetDateTime> {
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSX");

    @Override
    public void serialize(OffsetDateTime time, JsonGenerator to, SerializerProvider provider) throws IOException {
      to.writeString(FORMAT.format(time));
    }
  }
}
