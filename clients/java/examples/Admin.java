import io.github.carillonpush.Carillon;
import java.util.List;
import java.util.Map;

/** The sections for administrators, and about the server: calls for which the client has no method. */
final class Admin {
  private Admin() {}

  static void workAsAdmin(Carillon carillon) {
    Map<String, Object> key = Map.of("name", "back end", "scopes", List.of("read", "write"));
    Api.show("Keys and credentials > Create an API key", carillon.call("POST", "/v6/keys", Map.of("key", key)));
    Api.show(
        "Keys and credentials > Read credentials and routes", carillon.call("GET", "/v6/credentials", null));
    Api.show("Audit log", carillon.call("GET", "/v6/audit?action=devices.imported&per=1", null));
  }

  static void readTheApp(Carillon carillon) {
    Api.show("The app > Overview", carillon.call("GET", "/v6/overview?days=1&time_zone=Europe/London", null));
    Api.show("The app > Status", carillon.call("GET", "/v6/status", null));
    Api.show("Health and metrics", carillon.call("GET", "/healthz", null));
    Api.show("Health and metrics", carillon.call("GET", "/readyz", null));
    String metrics = carillon.call("GET", "/metrics", null).asText();
    Api.show("Health and metrics", metrics.contains("carillon_pushes_total"));
  }
}
