import io.github.carillonpush.Carillon;
import io.github.carillonpush.Filter;
import io.github.carillonpush.model.AudienceDevices;
import io.github.carillonpush.model.Device;
import io.github.carillonpush.model.ListAudienceDevicesQuery;
import io.github.carillonpush.model.ListAudiencesQuery;
import io.github.carillonpush.model.NewAudience;
import io.github.carillonpush.model.OneAudience;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The sections about audiences. */
final class Audiences {
  private Audiences() {}

  static void askAboutAudiences(Carillon carillon, String audienceId, String deviceId) {
    Api.show("Audiences > Read one", carillon.readAudience(audienceId));
    Api.show("Audiences > List them", carillon.listAudiences(new ListAudiencesQuery().per(2)));

    Filter visits = Filter.of("custom.integer.visits", Map.of("gte", 10));
    OneAudience named =
        carillon.createAudience(new NewAudience().name("Frequent visitors").filters(List.of(visits)));
    Api.show("Audiences > Name one", named);
    carillon.deleteAudience(named.audience().id());
    Api.show("Audiences > Delete one", null);

    Filter tagged = Filter.of("tags", "beta", "news");
    Api.show("Audiences > Count without storing", carillon.countAudience(List.of(tagged)));
    List<Filter> both = List.of(tagged, Filter.of("locale", "fr_FR").negated());
    Api.show("Audiences > Count each filter", carillon.countEachFilter(both));

    Stream<AudienceDevices> pages =
        Carillon.pages(
            cursor -> carillon.listAudienceDevices(audienceId, new ListAudienceDevicesQuery().cursor(cursor)));
    List<String> ids = pages.flatMap(page -> page.devices().stream()).map(Device::id).toList();
    Api.show("Audiences > List its devices", ids);
    Api.show("Audiences > Ask why a device is in or out", carillon.explainDevice(audienceId, deviceId));
  }
}
