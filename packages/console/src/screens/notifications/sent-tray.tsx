/** The tray pictures of the pushes, compiled as of the time when they are due. */
import { app } from '../../frame/session.ts';
import { useReply, Waiting } from '../../kit/states.tsx';
import { Card } from '../../kit/card.tsx';
import { VersionTrays } from '../../tray/versions.tsx';
import { notificationKindOf, type Notification } from './notification.tsx';
import type { NotificationPreview } from '../../replies.ts';

export function SentTray({ notification }: { notification: Notification }) {
  const kind = notificationKindOf(notification.notification);
  if (kind === undefined) return <Trays notification={notification} />;
  return (
    <Card title="As phones show it">
      <p>
        <bdi>{kind}</bdi>
      </p>
      <p class="muted">The app draws it, so there is no picture of it. Only devices with a push token for it get it.</p>
    </Card>
  );
}

function Trays({ notification }: { notification: Notification }) {
  const { notification: submitted, due_at: at } = notification;
  const read = useReply<NotificationPreview>({
    method: 'POST',
    path: '/v6/notifications/preview',
    body: { notification: submitted, at },
  });
  const { data } = read;
  return (
    <Card title="As phones show it">
      <Waiting of={read} />
      {data?.compiled && <VersionTrays compiled={data.compiled} appName={app.value?.name ?? ''} />}
      {data !== undefined && !data.compiled && (
        <p class="muted">This notification can no longer be compiled, so there is no picture of it.</p>
      )}
    </Card>
  );
}
