-- Where a notification came from, so that whoever delivers it, however much later, can say so in the log and in
-- traces. Null for notifications that were created before, or by a process of the previous release.
alter table notifications
  add column request_id text, -- the `x-request-id` of the reply to its creation
  add column traceparent text; -- W3C Trace Context of its creation; null where that was not traced
