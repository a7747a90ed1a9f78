package io.github.carillonpush;

import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A client of one server with one API key, with a method for each call that a back end makes. Several threads may use it at once.
 * Its methods sign in, keep a limit of time, send again what failed for a moment, and throw a {@link CarillonException}.
 */
public final class Carillon extends Calls {
  private Carillon(Settings settings) {
    super(settings);
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

  /**
   * The pages of a list, of which the next one is read when it is needed.
   *
   * @param read reads the page at a cursor, which is null for the first one
   */
  public static <P extends Model> Stream<P> pages(Function<String, P> read) {
    return Stream.iterate(read.apply(null), page -> page != null, page -> next(read, page));
  }

  private static <P extends Model> P next(Function<String, P> read, P page) {
    String cursor = page.json().path("meta").path("cursor").textValue();
    return cursor == null ? null : read.apply(cursor);
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
          new Settings(
              url, sending, authorization, tryTimeout, callTimeout, retries, backoff, random, pause));
    }
  }
}
