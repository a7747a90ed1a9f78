/** The pushes of a device. */
import type { ApiCall } from '../../../frame/api.ts';
import { appAddress } from '../../../frame/session.ts';
import { PushResult, Timeline } from './timeline.tsx';
import { textOf } from '../words.ts';
import type { DevicePush, DevicePushes as Page } from '../../../replies.ts';

function devicePushesCall(deviceId: string, cursor?: string): ApiCall {
  const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
  return { method: 'GET', path: `/v6/devices/${encodeURIComponent(deviceId)}/pushes${query}` };
}

/** @param props.first the newest page */
export function DevicePushes({ deviceId, first }: { deviceId: string; first: Page }) {
  return (
    <Timeline
      first={first}
      callFor={(cursor) => devicePushesCall(deviceId, cursor)}
      resultOf={(push: DevicePush) => (
        <PushResult
          result={push}
          why={whyAddress(deviceId, push.notification_id)}
          about={textOf(push) ?? push.notification_id}
        />
      )}
      none={<p class="muted">Nothing was sent to this device, and nothing is planned for it.</p>}
    />
  );
}

/** Where the page of a device explains a notification. */
export function whyAddress(deviceId: string, notificationId: string): string {
  return appAddress(`devices/${deviceId}`, { why: notificationId });
}
