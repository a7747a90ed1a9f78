/** Deletes an audience, after it has shown which notifications still need it. */
import { useState } from 'preact/hooks';
import { type ApiCall, call } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { appAddress } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { Curl } from '../../kit/developer/curl.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import type { Content } from '../../kit/content.ts';
import { useResource } from '../../kit/resource.ts';
import { Failure, Loading } from '../../kit/states.tsx';
import { TimeAgo } from '../../kit/time.tsx';
import type { AudienceUse } from '../../replies.ts';

interface DeleteProps {
  id: string;
  name: string;
  onDone: () => void;
}

export function DeleteAudience({ id, name, onDone }: DeleteProps): Content {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        Delete
      </button>
      {isAsking && <Question id={id} name={name} onDone={onDone} onClose={() => setAsking(false)} />}
    </>
  );
}

function Question({ id, name, onDone, onClose }: DeleteProps & { onClose: () => void }): Content {
  const path = `/v6/audiences/${encodeURIComponent(id)}`;
  const remove: ApiCall = { method: 'DELETE', path };
  const { state } = useResource(
    (signal) => call<{ notifications: readonly AudienceUse[] }>({ method: 'GET', path: `${path}/uses` }, signal),
    [path],
  );
  const { run, isBusy, error } = useAction<undefined>({
    call: remove,
    onDone: () => {
      announce(`The audience ${name} is deleted.`);
      onClose();
      onDone();
    },
  });
  const { data, error: unread } = state.value;
  const uses = data?.notifications ?? [];
  return (
    <Dialog title="Delete this audience?" onClose={onClose}>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        can no longer be read or targeted. Notifications that were sent to it stay.
      </p>
      {data === undefined && unread === undefined && <Loading what="Looking for notifications to it" />}
      {unread !== undefined && <Failure error={unread} />}
      {uses.length > 0 && <Uses uses={uses} />}
      {error !== undefined && <Failure error={error} />}
      <footer>
        <Curl call={remove} />
        <button type="button" onClick={onClose}>
          Back
        </button>
        <button type="button" class="danger" disabled={isBusy || data === undefined || uses.length > 0} onClick={run}>
          Delete
        </button>
      </footer>
    </Dialog>
  );
}

function Uses({ uses }: { uses: readonly AudienceUse[] }): Content {
  return (
    <div class="audience-uses">
      <p>It cannot be deleted yet: these notifications need it. Cancel them, or wait until they have ended.</p>
      <ul>
        {uses.map(({ id, state, due_at: due }) => (
          <li key={id}>
            <a href={appAddress(`notifications/${id}`)}>
              <code>{id}</code>
            </a>{' '}
            {state === 'scheduled' ? 'is due' : 'has been sent since'} <TimeAgo at={due} />
          </li>
        ))}
      </ul>
    </div>
  );
}
