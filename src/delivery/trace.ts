/** The spans of delivery. Their parent is the request that created the notification, even in another process. */
import type { Origin } from '../notifications/origin.ts';
import { type Attributes, noSpan, noTracer, type Span, type Tracer } from '../tracing/span.ts';
import type { OutcomeCounts } from './outcomes/slice-outcomes.ts';
import type { LeasedSlice, NotificationKey } from './slice-store.ts';

/**
 * Traces planning after its end, because only then is the request known.
 * @param startedAt when planning began
 */
export function tracePlan(
  tracer: Tracer,
  notification: NotificationKey & { origin: Origin },
  plan: { devices: number; lane?: string; slices?: number; state?: string },
  startedAt: Date,
): void {
  if (tracer === noTracer) return; // without tracing, single pushes make no attributes
  const { devices, lane, slices, state } = plan;
  const attributes = {
    ...attributesOf(notification),
    'carillon.devices': devices,
    ...(lane !== undefined && { 'carillon.lane': lane }),
    ...(slices !== undefined && { 'carillon.slices': slices }),
    ...(state !== undefined && { 'carillon.notification.state': state }),
  };
  const { traceparent: parent } = notification.origin;
  tracer.begin('plan notification', { parent, kind: 'consumer', startedAt, attributes }).end();
}

/** Begins the span of one attempt at a slice. */
export function beginSlice(tracer: Tracer, slice: LeasedSlice): Span {
  if (tracer === noTracer) return noSpan;
  const attributes = {
    ...attributesOf(slice),
    'carillon.slice.number': slice.number,
    'carillon.slice.attempt': slice.attempt,
  };
  const { traceparent: parent } = slice.origin;
  return tracer.begin('deliver slice', { parent, kind: 'consumer', attributes });
}

/** Sets the outcomes of a slice as attributes. */
export function traceOutcomes(span: Span, outcomes: { readonly counts: OutcomeCounts }): void {
  if (span === noSpan) return;
  const { counts } = outcomes;
  span.set({
    'carillon.devices.accepted': counts.accepted,
    'carillon.devices.rejected': counts.rejected,
    'carillon.devices.unregistered': counts.unregistered,
    'carillon.devices.no_token': counts.no_token,
    'carillon.devices.ambiguous': counts.ambiguous,
    ...(counts.dropped > 0 && { 'carillon.devices.dropped': counts.dropped }),
    ...(counts.capped > 0 && { 'carillon.devices.capped': counts.capped }),
    ...(counts.expired > 0 && { 'carillon.devices.expired': counts.expired }),
  });
}

function attributesOf({ appId, notificationId, origin }: NotificationKey & { origin: Origin }): Attributes {
  return {
    'carillon.app.id': appId,
    'carillon.notification.id': notificationId,
    'carillon.request.id': origin.requestId,
  };
}
