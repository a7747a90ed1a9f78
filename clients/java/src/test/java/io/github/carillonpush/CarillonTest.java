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
import io.github.carillonpush.model.BatchEntry;
import io.github.carillonpush.model.BatchItem;
import io.github.carillonpush.model.Device;
import io.github.carillonpush.model.DeviceEvent;
import io.github.carillonpush.model.DeviceRegistration;
import io.github.carillonpush.model.DeliveryList;
import io.github.carillonpush.model.FoundDelivery;
import io.github.carillonpush.model.NotificationProgress;
import io.github.carillonpush.model.NotificationRequest;
import io.github.carillonpush.model.Payload;
import io.github.carillonpush.model.SearchDeliveriesQuery;
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
    server.client().build().reportDeviceEvents(ID, List.of(new DeviceEvent().name("purchase")));
  }

  @Test
  void aNotificationIsSentWithTheKeyAsThePassword() throws Exception {
    try (FakeServer server = new FakeServer(created())) {
      assertEquals(ID, server.client().build().createNotification(hello()).id());
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
      server.client().build().createNotification(hello());
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
      carillon.createNotification(hello());
      carillon.createNotification(hello());
      carillon.createNotification(hello(), "order-4711");
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
      List<BatchEntry> made = server.client().build().createNotifications(List.of(mine, without));
      assertEquals(List.of(ID, 201), List.of(made.get(0).id(), made.get(0).status()));
      assertEquals(List.of("not_found", 404), List.of(made.get(1).code(), made.get(1).status()));
      assertEquals(server.received.get(0).body(), server.received.get(1).body());
      JsonNode sent = JSON.readTree(server.received.get(1).body());
      assertEquals("mine", sent.get(0).get("idempotency_key").asText());
      assertEquals(36, sent.get(1).get("idempotency_key").asText().length());
      assertNull(without.idempotencyKey());
    }
  }

  @Test
  void waitsAreLongerEachTimeAndAddRetryAfter() {
    FakeServer.Reply limited = refusal(429, "rate_limited").with("Retry-After", "7");
    try (FakeServer server = new FakeServer(limited, refusal(502, "x"), cut(), refusal(504, "x"), created())) {
      server.client().build().createNotification(hello());
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
      assertEquals(503, assertThrows(RefusalException.class, () -> carillon.createNotification(hello())).status());
      assertEquals(3, server.received.size());
    }
  }

  @Test
  void aCallThatWouldWaitLongerThanItsTimeEnds() {
    try (FakeServer server = new FakeServer(refusal(429, "rate_limited").with("Retry-After", "3600"), created())) {
      Carillon carillon = server.client().build();
      RefusalException refusal = assertThrows(RefusalException.class, () -> carillon.createNotification(hello()));
      assertEquals(Duration.ofHours(1), refusal.retryAfter());
      assertEquals(1, server.received.size());
    }
  }

  @Test
  void aTryHasALimitOfTime() {
    try (FakeServer server = new FakeServer(none())) {
      Carillon carillon = server.client().tryTimeout(Duration.ofMillis(50)).retries(0).build();
      assertThrows(NoReplyException.class, () -> carillon.createNotification(hello()));
    }
  }

  @Test
  void anInterruptedCallEndsAndStaysInterrupted() {
    try (FakeServer server = new FakeServer(created())) {
      Thread.currentThread().interrupt();
      RuntimeException ended = assertThrows(RuntimeException.class, () -> server.client().build().createNotification(hello()));
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
      RefusalException refusal = assertThrows(RefusalException.class, () -> carillon.createNotification(hello()));
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
      RefusalException refusal = assertThrows(RefusalException.class, () -> carillon.createNotification(hello()));
      assertEquals(RefusalException.NOT_CARILLON, refusal.code());
    }
  }

  @Test
  void aListIsReadPageByPage() {
    String page = "{\"deliveries\": [{\"device_id\": \"%s\"}], \"meta\": {\"cursor\": %s}}";
    try (FakeServer server =
        new FakeServer(of(200, page.formatted("1", "\"next\"")), of(200, page.formatted("2", "null")))) {
      Carillon carillon = server.client().build();
      Stream<DeliveryList> pages =
          Carillon.pages(
              cursor -> carillon.searchDeliveries(ID, new SearchDeliveriesQuery().per(1).cursor(cursor)));
      Stream<FoundDelivery> found = pages.flatMap(one -> one.deliveries().stream());
      assertEquals(List.of("1", "2"), found.map(FoundDelivery::deviceId).toList());
      String path = "GET /v6/notifications/" + ID + "/deliveries?per=1";
      assertEquals(List.of(path, path + "&cursor=next"), server.received.stream().map(one -> one.call()).toList());
    }
  }

  @Test
  void aStreamIsReadAsItComes() {
    String events = ": still here\n\nevent: progress\ndata: {\"accepted\": 1}\n\nevent: end\ndata: {\"accepted\": 2}\n\n";
    try (FakeServer server = new FakeServer(of(200, events).with("Content-Type", "text/event-stream"));
        Stream<NotificationProgress> changes = server.client().build().watchNotification(ID)) {
      assertEquals(List.of(1, 2), changes.map(NotificationProgress::accepted).toList());
    }
  }

  @Test
  void anImportIsSentOnceAsItIsMade() {
    String result = "{\"imported\": 2, \"updated\": 0, \"unchanged\": 0, \"rejected_count\": 0, \"rejected\": []}";
    List<DeviceRegistration> devices =
        Stream.of("a", "b").map(token -> new DeviceRegistration().platform("Android").pushToken(token)).toList();
    try (FakeServer server = new FakeServer(of(200, result), refusal(503, "unavailable"))) {
      Carillon carillon = server.client().build();
      assertEquals(2, carillon.importDevices(devices).imported());
      assertEquals(
          "{\"platform\":\"Android\",\"push_token\":\"a\"}\n{\"platform\":\"Android\",\"push_token\":\"b\"}\n",
          server.received.get(0).body());
      assertThrows(RefusalException.class, () -> carillon.importDevices(devices));
      assertEquals(2, server.received.size());
    }
  }

  @Test
  void aCallWithoutAMethodHasItsReplyAsJsonOrText() {
    try (FakeServer server =
        new FakeServer(of(200, "{\"status\": \"up\"}"), of(200, "up 1").with("Content-Type", "text/plain"))) {
      Carillon carillon = server.client().build();
      assertEquals("up", carillon.call("GET", "/healthz", null).path("status").asText());
      assertEquals("up 1", carillon.call("GET", "/metrics", null).asText());
    }
  }

  @Test
  void aReplyOfALaterServerKeepsItsFieldsAndEveryDigit() {
    String device = "{\"device\": {\"new\": 1, \"custom\": {\"n\": {\"type\": \"integer\", \"value\": 9007199254740993}}}}";
    try (FakeServer server = new FakeServer(of(200, device))) {
      Device read = server.client().build().readDevice(ID).device();
      assertEquals(9007199254740993L, read.custom().get("n").value().asLong());
      assertEquals(1, read.json().path("new").asInt());
      assertNull(read.locale());
    }
  }

  @Test
  void textIsReadAsUtf8WhateverTheMachineHas() {
    try (FakeServer server = new FakeServer(created())) {
      assertEquals("Zoë", server.client().build().createNotification(hello()).to().id());
    }
  }

  @Test
  void anAddressWithoutASchemeIsRefused() {
    for (String address : List.of("localhost:8080", "", "ftp://a", "http://")) {
      assertThrows(IllegalArgumentException.class, () -> Carillon.builder(address, "key"));
    }
  }
}
