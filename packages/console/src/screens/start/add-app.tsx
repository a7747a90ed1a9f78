import { useState } from 'preact/hooks';
import { faultAt } from '../../frame/api.ts';
import { go } from '../../frame/router.ts';
import { type App, loadSession, session } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import { Empty, Failure } from '../../kit/states.tsx';
import { Code } from '../../kit/copy.tsx';

export function AddApp() {
  const whyNot = session.value?.why_no_new_app ?? null;
  const isFirst = session.value?.apps.length === 0;
  return (
    <div class="stack">
      <h1>{isFirst ? 'Welcome' : 'Add an app'}</h1>
      {whyNot === null ? (
        <NewApp isFirst={isFirst} />
      ) : (
        <Empty title={isFirst ? 'You have no app yet' : 'You cannot add an app here'}>
          <p>{whyNot}</p>
          {isFirst && <p>An admin can give you a role in an app.</p>}
        </Empty>
      )}
    </div>
  );
}

function NewApp({ isFirst }: { isFirst: boolean }) {
  const [name, setName] = useState('');
  const [bundleId, setBundleId] = useState('');
  const { run, isBusy, error } = useAction<{ app: App }>({
    call: { method: 'POST', path: '/console/apps', body: { app: { bundle_id: bundleId.trim(), name: name.trim() } } },
    onDone: async ({ app }) => {
      await loadSession();
      go(`apps/${encodeURIComponent(app.bundle_id)}/start`);
    },
  });
  const faults = { name: faultAt(error, 'app.name'), bundleId: faultAt(error, 'app.bundle_id') };
  const isElsewhere = error !== undefined && faults.name === undefined && faults.bundleId === undefined;
  return (
    <>
      <p class="muted">
        {isFirst && 'Carillon sends the pushes of your apps, from your own server. '}
        Name the app; its keys, your phone and the first push come next.
      </p>
      <Form onSubmit={run}>
        <TextField label="Name" value={name} onInput={setName} error={faults.name} required autofocus />
        <TextField
          label="Bundle id"
          code
          placeholder="com.example.app"
          hint="As Xcode and Android have it: Apple’s bundle identifier, Google’s package name."
          value={bundleId}
          onInput={setBundleId}
          error={faults.bundleId}
          required
        />
        {isElsewhere && <Failure error={error} />}
        <div class="buttons">
          <button class="primary" disabled={isBusy} aria-busy={isBusy}>
            Add the app
          </button>
        </div>
      </Form>
      <ForDevelopers title="On the command line">
        <Code text={'carillon apps create --bundle-id com.example.app --name "My app"'} />
      </ForDevelopers>
    </>
  );
}
