package io.github.carillonpush;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/**
 * Sends the requests of the generated code: signs in, limits the time, and sends again what failed for a moment. Any reply
 * but a success is a {@link RefusalException}.
 */
final class Transport extends HttpClient {
  /**
   * Posts that may be sent again although the server may have carried them out: those that only read, those that set what
   * they set before, and notifications, whose key the server knows. An event that is reported again counts twice, and an
   * audience or a key that is created again is a second one, so those calls are not among them.
   */
  private static final Pattern REPEATABLE_POST =
      Pattern.compile(
          ".*/v\\d+/(?:notifications(?:/(?:batch|preview|count|locales|waves|[^/]+/opens))?|receipts"
              + "|devices(?:/lookup)?|audiences/(?:count(?:/filters)?|sample|explain))/?");

  private static final Pattern VERSIONED = Pattern.compile(".*/v\\d+/.*");
  private static final Pattern CREATION = Pattern.compile(".*/v\\d+/notifications/?");
  private static final Set<Integer> FAILED_FOR_NOW = Set.of(502, 503, 504);
  private static final int TOO_MANY_REQUESTS = 429;
  private static final Duration BACKOFF_MAX = Duration.ofSeconds(10);

  /** Waits before a call is sent again. */
  interface Pause {
    void wait(Duration time) throws InterruptedException;
  }

  /** What {@link Carillon.Builder} sets. */
  record Settings(
      HttpClient client,
      String authorization,
      Duration tryTimeout,
      Duration callTimeout,
      int retries,
      Duration backoff,
      DoubleSupplier random,
      Pause pause) {}

  private final Settings settings;

  Transport(Settings settings) {
    this.settings = settings;
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws IOException, InterruptedException {
    if (!VERSIONED.matcher(request.uri().getPath()).matches()) {
      // Health and metrics: their status is the answer, and they need no key.
      return settings.client.send(limited(request), handler);
    }
    HttpResponse<byte[]> reply = sendUntilDone(signed(request));
    byte[] body = reply.body();
    if (isJson(reply.headers()) && !Charset.defaultCharset().equals(StandardCharsets.UTF_8)) body = inAscii(body);
    return new Reply<>(reply, bodyBy(handler, reply, body));
  }

  /** Limits the time until the reply begins. */
  HttpRequest limited(HttpRequest request) {
    return HttpRequest.newBuilder(request, (name, value) -> true).timeout(settings.tryTimeout).build();
  }

  /** The request with the key, which a stream is sent with as well. */
  HttpRequest signed(HttpRequest request) {
    HttpRequest.Builder signed = HttpRequest.newBuilder(request, (name, value) -> true);
    signed.setHeader("Authorization", settings.authorization);
    boolean isKeyed = request.headers().firstValue("Idempotency-Key").isPresent();
    // Made once for all tries, so that the server knows the notification again.
    if (isPost(request) && CREATION.matcher(request.uri().getPath()).matches() && !isKeyed) {
      signed.setHeader("Idempotency-Key", UUID.randomUUID().toString());
    }
    return signed.build();
  }

  private HttpResponse<byte[]> sendUntilDone(HttpRequest request) throws InterruptedException {
    long deadline = System.nanoTime() + settings.callTimeout.toNanos();
    for (int attempt = 0; ; attempt++) {
      CarillonException failure;
      try {
        HttpResponse<byte[]> reply = sendOnce(request, Duration.ofNanos(deadline - System.nanoTime()));
        if (reply.statusCode() / 100 == 2) return reply;
        failure = RefusalException.of(reply.statusCode(), reply.headers(), reply.body());
      } catch (NoReplyException lost) {
        failure = lost;
      }
      Duration wait = waitBefore(attempt, failure);
      boolean isTooLate = deadline - System.nanoTime() <= wait.toNanos();
      if (attempt >= settings.retries || isTooLate || !mayRepeat(request, failure)) throw failure;
      settings.pause.wait(wait);
    }
  }

  private HttpResponse<byte[]> sendOnce(HttpRequest request, Duration left) throws InterruptedException {
    Duration limit = left.compareTo(settings.tryTimeout) < 0 ? left : settings.tryTimeout;
    CompletableFuture<HttpResponse<byte[]>> reply =
        settings.client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
    String host = request.uri().getAuthority();
    try {
      return reply.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException tooLong) {
      reply.cancel(true);
      throw new NoReplyException(host, "none within " + limit.toMillis() + " ms", tooLong);
    } catch (InterruptedException interrupted) {
      reply.cancel(true);
      throw interrupted;
    } catch (ExecutionException failed) {
      throw new NoReplyException(host, String.valueOf(failed.getCause()), failed.getCause());
    }
  }

  /** What the server asks for, and a random time, so that many callers do not come back at once. */
  private Duration waitBefore(int attempt, CarillonException failure) {
    double longest = Math.min(settings.backoff.toNanos() * Math.pow(2, attempt), BACKOFF_MAX.toNanos());
    Duration wait = Duration.ofNanos((long) (longest * settings.random.getAsDouble()));
    return failure instanceof RefusalException refusal ? wait.plus(refusal.retryAfter()) : wait;
  }

  /** 429 means that nothing was done; after 502, 503 and 504, and without a reply, it may have been. */
  private static boolean mayRepeat(HttpRequest request, CarillonException failure) {
    boolean isRepeatable = !isPost(request) || REPEATABLE_POST.matcher(request.uri().getPath()).matches();
    if (!(failure instanceof RefusalException refusal)) return isRepeatable;
    return refusal.status() == TOO_MANY_REQUESTS || (isRepeatable && FAILED_FOR_NOW.contains(refusal.status()));
  }

  private static boolean isPost(HttpRequest request) {
    return request.method().equals("POST");
  }

  private static boolean isJson(HttpHeaders headers) {
    return headers.firstValue("content-type").orElse("").contains("json");
  }

  /** The generated code reads text in the encoding of the machine. JSON can be written so that it is the same in all. */
  private static byte[] inAscii(byte[] json) {
    String text = new String(json, StandardCharsets.UTF_8);
    StringBuilder ascii = new StringBuilder(text.length());
    for (char unit : text.toCharArray()) {
      if (unit < 128) ascii.append(unit);
      else ascii.append(String.format("\\u%04x", (int) unit));
    }
    return ascii.toString().getBytes(StandardCharsets.US_ASCII);
  }

  private static <T> T bodyBy(HttpResponse.BodyHandler<T> handler, HttpResponse<?> reply, byte[] bytes) {
    HttpResponse.BodySubscriber<T> subscriber =
        handler.apply(
            new HttpResponse.ResponseInfo() {
              @Override
              public int statusCode() {
                return reply.statusCode();
              }

              @Override
              public HttpHeaders headers() {
                return reply.headers();
              }

              @Override
              public Version version() {
                return reply.version();
              }
            });
    subscriber.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long count) {}

          @Override
          public void cancel() {}
        });
    subscriber.onNext(List.of(ByteBuffer.wrap(bytes)));
    subscriber.onComplete();
    return subscriber.getBody().toCompletableFuture().join();
  }

  /** A reply with another body. */
  private record Reply<T>(HttpResponse<?> of, T body) implements HttpResponse<T> {
    @Override
    public int statusCode() {
      return of.statusCode();
    }

    @Override
    public HttpRequest request() {
      return of.request();
    }

    @Override
    public Optional<HttpResponse<T>> previousResponse() {
      return Optional.empty();
    }

    @Override
    public HttpHeaders headers() {
      return of.headers();
    }

    @Override
    public Optional<javax.net.ssl.SSLSession> sslSession() {
      return of.sslSession();
    }

    @Override
    public URI uri() {
      return of.uri();
    }

    @Override
    public Version version() {
      return of.version();
    }
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    throw new UnsupportedOperationException("the generated code waits for replies");
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, HttpResponse.BodyHandler<T> handler, HttpResponse.PushPromiseHandler<T> pushes) {
    return sendAsync(request, handler);
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return settings.client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return settings.client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return settings.client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return settings.client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return settings.client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return settings.client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return settings.client.authenticator();
  }

  @Override
  public Version version() {
    return settings.client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return settings.client.executor();
  }
}
