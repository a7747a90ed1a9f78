import io.github.carillonpush.Carillon;
import io.github.carillonpush.model.CreateKey;
import io.github.carillonpush.model.CreateKeyKey;
import java.util.stream.Stream;

/** The sections for administrators, about the app, and about the health of the server. */
final class Admin {
  private Admin() {}

  static void workAsAdmin(Carillon carillon) {
    CreateKeyKey key =
        new CreateKeyKey()
            .name("back end")
            .addScopesItem(CreateKeyKey.ScopesEnum.READ)
            .addScopesItem(CreateKeyKey.ScopesEnum.WRITE);
    Api.show("Keys and credentials > Create an API key", carillon.settings().createKey(new CreateKey().key(key)));
    Api.show(
        "Keys and credentials > Read credentials and routes", carillon.settings().listCredentials().getRoutes());

    Api.show("Audit log", carillon.audit().listAudit(null, "devices.imported", null, null, null, 1, null));
    long listed = carillon.wholeAuditLog().count();
    try (Stream<?> exported = carillon.exportAudit()) {
      Api.check(listed > 0 && exported.count() == listed, "the list and the export differ");
    }
  }

  static void readTheApp(Carillon carillon) {
    Api.show(
        "The app > Overview",
        carillon.service().readOverview(1, "Europe/London").getOverview().getAttention());
    Api.show("Health and metrics", carillon.service().readLiveness());
    Api.show("Health and metrics", carillon.service().readReadiness());
    Api.show("Health and metrics", carillon.service().readMetrics().contains("carillon_pushes_total"));
  }
}
