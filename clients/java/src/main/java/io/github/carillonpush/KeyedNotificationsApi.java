package io.github.carillonpush;

import io.github.carillonpush.api.NotificationsApi;
import io.github.carillonpush.invoker.ApiClient;
import io.github.carillonpush.invoker.ApiResponse;
import io.github.carillonpush.model.BatchItem;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Gives each item of a batch that has none a key by which the server knows it again, once for all tries. */
final class KeyedNotificationsApi extends NotificationsApi {
  KeyedNotificationsApi(ApiClient client) {
    super(client);
  }

  @Override
  public ApiResponse<List<BatchEntry>> createNotificationsWithHttpInfo(
      List<BatchItem> items, Map<String, String> headers) {
    return super.createNotificationsWithHttpInfo(items.stream().map(KeyedNotificationsApi::keyed).toList(), headers);
  }

  private static BatchItem keyed(BatchItem item) {
    if (item.getIdempotencyKey() != null) return item;
    return new BatchItem().notification(item.getNotification()).idempotencyKey(UUID.randomUUID().toString());
  }
}
