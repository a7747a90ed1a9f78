import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.carillonpush.Carillon;
import io.github.carillonpush.Model;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * docs/api.md in Java: the same calls in the same order. CARILLON_URL and CARILLON_KEY say where, and with which key. It prints
 * each reply as a line of JSON, with the section that it belongs to.
 */
public final class Api {
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private Api() {}

  public static void main(String[] arguments) {
    Carillon carillon = Carillon.builder(System.getenv("CARILLON_URL"), System.getenv("CARILLON_KEY")).build();
    Devices.firstPush(carillon);
    String deviceId = Devices.registerDevices(carillon);
    Devices.reportEvents(carillon, deviceId);
    var sent = Sending.sendNotifications(carillon);
    Sending.setMoments(carillon, deviceId);
    Following.followNotification(carillon, sent.id(), deviceId);
    Audiences.askAboutAudiences(carillon, sent.to().id(), deviceId);
    Admin.workAsAdmin(carillon);
    Admin.readTheApp(carillon);
  }

  /** @param reply a model, JSON, a list of texts or models, or null */
  static void show(String section, Object reply) {
    ObjectNode line = JsonNodeFactory.instance.objectNode().put("section", section);
    line.set("reply", Shown.of(reply).json().get("reply"));
    OUT.println(line);
  }

  static void check(boolean isRight, String what) {
    if (!isRight) throw new IllegalStateException(what);
  }

  private static final class Shown extends Model {
    static Shown of(Object reply) {
      Shown shown = new Shown();
      shown.put("reply", reply);
      return shown;
    }
  }
}
