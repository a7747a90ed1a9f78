import io.github.carillonpush.Carillon;
import io.github.carillonpush.Filter;
import io.github.carillonpush.api.AudiencesApi;
import io.github.carillonpush.model.CountAudience;
import io.github.carillonpush.model.CreateAudience;
import io.github.carillonpush.model.Device;
import io.github.carillonpush.model.ListedAudience;
import io.github.carillonpush.model.NewAudience;
import java.util.Map;

/** The sections about audiences. */
final class Audiences {
  private Audiences() {}

  static void askAboutAudiences(Carillon carillon, String audienceId, String deviceId) {
    AudiencesApi audiences = carillon.audiences();
    Api.show("Audiences > Read one", audiences.readAudience(audienceId));
    Api.show("Audiences > List them", audiences.listAudiences(2, null, null, null));

    NewAudience frequent =
        new NewAudience()
            .name("Frequent visitors")
            .addFiltersItem(Filter.of("custom.integer.visits", Map.of("gte", 10)));
    Api.show("Audiences > Name one", audiences.createAudience(new CreateAudience().audience(frequent)));
    ListedAudience named =
        carillon
            .allAudiences()
            .filter(audience -> audience.getName().equals("Frequent visitors"))
            .findFirst()
            .orElseThrow();
    audiences.deleteAudience(named.getId());
    Api.show("Audiences > Delete one", null);

    Filter tagged = Filter.of("tags", "beta", "news");
    Api.show(
        "Audiences > Count without storing",
        audiences.countAudience(new CountAudience().addFiltersItem(tagged)));
    Api.show(
        "Audiences > Count each filter",
        audiences.countEachFilter(
            new CountAudience().addFiltersItem(tagged).addFiltersItem(Filter.of("locale", "fr_FR").negated())));

    Api.show(
        "Audiences > List its devices", carillon.allDevices(audienceId).map(Device::getId).toList());
    Api.show("Audiences > Ask why a device is in or out", audiences.explainDevice(audienceId, deviceId));
  }
}
