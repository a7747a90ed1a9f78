/** Deletes an audience, after it has shown which notifications still need it. */
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { go } from '../../frame/router.ts';
import { appAddress } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { useResource } from '../../kit/resource.ts';
import { Failure, Waiting } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { Audience, AudienceUse } from '../../replies.ts';

export function DeleteDialog({ audience, onClose }: { audience: Audience; onClose: () => void }) {
  const { id, name } = audience;
  const path = `/v6/audiences/${encodeURIComponent(id)}`;
  const remove: ApiCall = { method: 'DELETE', path };
  const { state, reload } = useResource(
    (signal) => call<{ notifications: readonly AudienceUse[] }>({ method: 'GET', path: `${path}/uses` }, signal),
    [path],
  );
  const { run, isBusy, error } = useAction<undefined>({
    call: remove,
    onDone: () => {
      announce(`The audience ${name} is deleted.`);
      go(appAddress('audiences'));
    },
  });
  const uses = state.value.data?.notifications;
  return (
    <Dialog title="Delete this audience?" onClose={onClose}>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        can no longer be read or targeted. Notifications that were sent to it stay.
      </p>
      <Waiting of={state.value} retry={reload} what="Looking for notifications to it" />
      {uses !== undefined && uses.length > 0 && (
        <>
          <p>It cannot be deleted yet: these notifications need it. Cancel them, or wait until they have ended.</p>
          <ul>
            {uses.map(({ id: notification, state: present, due_at: due }) => (
              <li key={notification}>
                <a href={appAddress(`notifications/${notification}`)}>
                  <code>{notification}</code>
                </a>{' '}
                {present === 'scheduled' ? 'is due' : 'has been sent since'} <TimeAgo at={due} />
              </li>
            ))}
          </ul>
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      <footer>
        <Curl call={remove} />
        <button type="button" onClick={onClose}>
          Back
        </button>
        <button type="button" class="danger" disabled={isBusy || uses?.length !== 0} onClick={run}>
          Delete
        </button>
      </footer>
    </Dialog>
  );
}
