package io.github.carillonpush;

import static io.github.carillonpush.FakeServer.Reply.cut;
import static io.github.carillonpush.FakeServer.Reply.none;
import static io.github.carillonpush.FakeServer.Reply.of;
import static io.github.carillonpush.FakeServer.Reply.refusal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.carillonpush.invoker.ApiException;
import io.github.carillonpush.model.AuditEntry;
import io.github.carillonpush.model.BatchItem;
import io.github.carillonpush.model.DeviceEvent;
import io.github.carillonpush.model.NotificationProgress;
import io.github.carillonpush.model.NotificationRequest;
import io.github.carillonpush.model.Payload;
import io.github.carillonpush.model.ReportEvents;
import java.net.http.HttpRequest;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CarillonTest {
  private static final String ID = "a0cb688f-908b-4799-94e8-72e8837799c2";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static NotificationRequest hello() {
    return new NotificationRequest().to(Target.user("user-17")).payload(new Payload().alert("Hello"));
  }

  private static FakeServer.Reply created() {
    return of(
        201,
        """
        {"created_at": "2026-11-21T01:13:41.129Z", "state": "scheduled", "id": "%s",
          "to": {"id": "Zoë", "type": "User"}, "notification": {"to": "*"}}
        """
            .formatted(ID));
  }

  private static String keyOf(FakeServer server, int request) {
    return server.received.get(request).headers().getFirst("Idempotency-Key");
  }

  private static void reportPurchase(FakeServer server) {
    ReportEvents events = new ReportEvents().addEventsItem(new DeviceEvent().name("purchase"));
    server.client().build().devices().reportDeviceEvents(ID, events);
  }

  @Test
  void aNotificationIsSentWithTheKeyAsThePassword() throws Exception {
    try (FakeServer server = new FakeServer(created())) {
      assertEquals(ID, server.client().build().send(hello()).getId());
      FakeServer.Received request = server.received.get(0);
      assertEquals("POST /v6/notifications", request.call());
      assertEquals("Basic OmNhcmlsbG9uX2tleQ==", request.headers().getFirst("Authorization"));
      JsonNode expected =
          JSON.readTree("{\"notification\":{\"to\":{\"user_id\":\"user-17\"},\"payload\":{\"alert\":\"Hello\"}}}");
      assertEquals(expected, JSON.readTree(request.body()));
    }
  }

  @Test
  void aLostReplyIsRepeatedWithTheSameKey() {
    try (FakeServer server = new FakeServer(cut(), refusal(503, "unavailable"), created())) {
      server.client().build().send(hello());
      assertEquals(3, server.received.size());
      assertNotNull(keyOf(server, 0));
      assertEquals(keyOf(server, 0), keyOf(server, 1));
      assertEquals(keyOf(server, 0), keyOf(server, 2));
    }
  }

  @Test
  void eachCallHasAKeyOfItsOwn() {
    try (FakeServer server = new FakeServer(created(), created(), created())) {
      Carillon carillon = server.client().build();
      carillon.send(hello());
      carillon.send(hello());
      carillon.send(hello(), "order-4711");
      assertNotEquals(keyOf(server, 0), keyOf(server, 1));
      assertEquals("order-4711", keyOf(server, 2));
    }
  }

  @Test
  void itemsOfABatchWithoutAKeyGetOne() throws Exception {
    String entries =
        """
        [{"line": 1, "status": 201, "created_at": "2026-11-21T01:13:41.352Z", "state": "scheduled", "id": "%s",
          "to": {"id": "user-17", "type": "User"}},
         {"line": 2, "status": 404, "error": "No such audience.", "code": "not_found"}]
        """
            .formatted(ID);
    try (FakeServer server = new FakeServer(cut(), of(200, entries))) {
      BatchItem mine = new BatchItem().notification(hello()).idempotencyKey("mine");
      BatchItem without = new BatchItem().notification(hello());
      List<BatchEntry> made = server.client().build().sendBatch(List.of(mine, without));
      assertEquals(ID, made.get(0).stored().orElseThrow().getId());
      assertEquals("not_found", made.get(1).refusal().orElseThrow().code());
      assertEquals(server.received.get(0).body(), server.received.get(1).body());
      JsonNode sent = JSON.readTree(server.received.get(1).body());
      assertEquals("mine", sent.get(0).get("idempotency_key").asText());
      assertEquals(36, sent.get(1).get("idempotency_key").asText().length());
      assertNull(without.getIdempotencyKey());
    }
  }

  @Test
  void waitsAreLongerEachTimeAndAddRetryAfter() {
    FakeServer.Reply limited = refusal(429, "rate_limited").with("Retry-After", "7");
    try (FakeServer server = new FakeServer(limited, refusal(502, "x"), cut(), refusal(504, "x"), created())) {
      server.client().build().send(hello());
      assertEquals(
          List.of(Duration.ofMillis(7_250), Duration.ofMillis(500), Duration.ofSeconds(1), Duration.ofSeconds(2)),
          server.waits);
    }
  }

  @Test
  void whatMayCountTwiceIsRepeatedOnlyIfNothingWasDone() {
    try (FakeServer server = new FakeServer(refusal(429, "rate_limited"), of(202, "{}"))) {
      reportPurchase(server);
      assertEquals(2, server.received.size());
    }
    try (FakeServer server = new FakeServer(cut(), of(202, "{}"))) {
      assertThrows(NoReplyException.class, () -> reportPurchase(server));
      assertEquals(1, server.received.size());
    }
    try (FakeServer server = new FakeServer(refusal(503, "unavailable"), of(202, "{}"))) {
      assertThrows(RefusalException.class, () -> reportPurchase(server));
      assertEquals(1, server.received.size());
    }
  }

  @Test
  void retriesHaveALimit() {
    FakeServer.Reply unavailable = refusal(503, "unavailable");
    try (FakeServer server = new FakeServer(unavailable, unavailable, unavailable, created())) {
      Carillon carillon = server.client().retries(2).build();
      assertEquals(503, assertThrows(RefusalException.class, () -> carillon.send(hello())).status());
      assertEquals(3, server.received.size());
    }
  }

  @Test
  void aCallThatWouldWaitLongerThanItsTimeEnds() {
    try (FakeServer server = new FakeServer(refusal(429, "rate_limited").with("Retry-After", "3600"), created())) {
      Carillon carillon = server.client().build();
      RefusalException refusal = assertThrows(RefusalException.class, () -> carillon.send(hello()));
      assertEquals(Duration.ofHours(1), refusal.retryAfter());
      assertEquals(1, server.received.size());
    }
  }

  @Test
  void aTryHasALimitOfTime() {
    try (FakeServer server = new FakeServer(none())) {
      Carillon carillon = server.client().tryTimeout(Duration.ofMillis(50)).retries(0).build();
      assertThrows(NoReplyException.class, () -> carillon.send(hello()));
    }
  }

  @Test
  void healthIsReadWithoutTheKeyAndWithALimitOfTime() {
    try (FakeServer server = new FakeServer(of(200, "{\"status\": \"up\"}"), none())) {
      server.client().build().service().readLiveness();
      assertNull(server.received.get(0).headers().getFirst("Authorization"));
      Carillon impatient = server.client().tryTimeout(Duration.ofMillis(50)).build();
      ApiException late = assertThrows(ApiException.class, () -> impatient.service().readLiveness());
      assertInstanceOf(HttpTimeoutException.class, late.getCause());
    }
  }

  @Test
  void anInterruptedCallEndsAndStaysInterrupted() {
    try (FakeServer server = new FakeServer(created())) {
      Thread.currentThread().interrupt();
      RuntimeException ended = assertThrows(RuntimeException.class, () -> server.client().build().send(hello()));
      assertInstanceOf(InterruptedException.class, ended.getCause());
      assertEquals(true, Thread.interrupted());
    }
  }

  @Test
  void aRefusalHasAllThatTheServerSays() {
    String body =
        """
        {"error": "to is required", "code": "invalid_request",
          "details": [{"path": "notification.to", "message": "is required"}]}
        """;
    try (FakeServer server = new FakeServer(of(422, body).with("X-Request-Id", "abc"))) {
      Carillon carillon = server.client().build();
      RefusalException refusal = assertThrows(RefusalException.class, () -> carillon.send(hello()));
      assertEquals("to is required", refusal.getMessage());
      assertEquals("invalid_request", refusal.code());
      assertEquals("abc", refusal.requestId());
      assertEquals(List.of(new RefusalException.Fault("notification.to", "is required")), refusal.details());
    }
  }

  @Test
  void aReplyOfAProxyIsARefusal() {
    try (FakeServer server = new FakeServer(of(413, "<html>Too large</html>"))) {
      Carillon carillon = server.client().build();
      RefusalException refusal = assertThrows(RefusalException.class, () -> carillon.send(hello()));
      assertEquals(RefusalException.NOT_CARILLON, refusal.code());
    }
  }

  @Test
  void aListIsReadPageByPage() {
    String entry =
        """
        {"entries": [{"id": "%s", "at": "2026-11-21T01:13:41.352Z", "by": {"kind": "key", "id": null, "name": null},
          "action": "a", "object_id": null, "before": null, "after": null, "address": null, "request_id": null}],
         "meta": {"cursor": %s}}
        """;
    try (FakeServer server =
        new FakeServer(of(200, entry.formatted("1", "\"next\"")), of(200, entry.formatted("2", "null")))) {
      assertEquals(List.of("1", "2"), server.client().build().wholeAuditLog().map(AuditEntry::getId).toList());
      assertEquals("GET /v6/audit?cursor=next", server.received.get(1).call());
    }
  }

  @Test
  void aStreamIsReadAsItComes() {
    String events = ": still here\n\nevent: progress\ndata: {\"accepted\": 1}\n\nevent: end\ndata: {\"accepted\": 2}\n\n";
    try (FakeServer server = new FakeServer(of(200, events).with("Content-Type", "text/event-stream"));
        Stream<NotificationProgress> changes = server.client().build().watch(ID)) {
      assertEquals(List.of(1, 2), changes.map(NotificationProgress::getAccepted).toList());
    }
  }

  @Test
  void anImportIsSentOnce() {
    String result = "{\"imported\": 1, \"updated\": 0, \"unchanged\": 0, \"rejected_count\": 0, \"rejected\": []}";
    String line = "{\"platform\": \"Android\", \"push_token\": \"a\"}";
    try (FakeServer server = new FakeServer(of(200, result), refusal(503, "unavailable"))) {
      Carillon carillon = server.client().build();
      assertEquals(1, carillon.importDevices(HttpRequest.BodyPublishers.ofString(line)).getImported());
      assertEquals(line, server.received.get(0).body());
      assertThrows(
          RefusalException.class, () -> carillon.importDevices(HttpRequest.BodyPublishers.ofString(line)));
      assertEquals(2, server.received.size());
    }
  }

  @Test
  void textIsReadAsUtf8WhateverTheMachineHas() {
    try (FakeServer server = new FakeServer(created())) {
      assertEquals("Zoë", server.client().build().send(hello()).getTo().getId());
    }
  }

  @Test
  void anAddressWithoutASchemeIsRefused() {
    for (String address : List.of("localhost:8080", "", "ftp://a", "http://")) {
      assertThrows(IllegalArgumentException.class, () -> Carillon.builder(address, "key"));
    }
  }
}
