import { go } from '../../frame/router.ts';
import { app, type App, loadSession, session } from '../../frame/session.ts';
import { ActionForm } from '../../kit/action.tsx';
import { ForDevelopers } from '../../kit/developer/drawer.tsx';
import { Empty } from '../../kit/states.tsx';
import { Code } from '../../kit/copy.tsx';
import { Guide } from './guide.tsx';

/** `start` adds an app; below an app it leads to the first push. */
export function Start() {
  return app.value === undefined ? <AddApp /> : <Guide />;
}

function AddApp() {
  const whyNot = session.value?.why_no_new_app ?? null;
  const isFirst = session.value?.apps.length === 0;
  if (whyNot !== null) {
    return (
      <div class="stack">
        <h1>{isFirst ? 'Welcome' : 'Add an app'}</h1>
        <Empty title={isFirst ? 'You have no app yet' : 'You cannot add an app here'}>
          <p>{whyNot}</p>
          {isFirst && <p>An admin can give you a role in an app.</p>}
        </Empty>
      </div>
    );
  }
  return (
    <div class="stack">
      <h1>{isFirst ? 'Welcome' : 'Add an app'}</h1>
      <p class="muted">
        {isFirst && 'Carillon sends the pushes of your apps, from your own server. '}
        Name the app; its keys, your phone and the first push come next.
      </p>
      <ActionForm
        label="Add the app"
        fields={{
          name: { label: 'Name', autofocus: true },
          bundle_id: {
            label: 'Bundle id',
            hint: 'As Xcode and Android have it: Apple’s bundle identifier, Google’s package name.',
            placeholder: 'com.example.app',
            code: true,
          },
        }}
        call={(texts) => ({ method: 'POST', path: '/console/apps', body: { app: texts } })}
        onDone={async ({ app: added }: { app: App }) => {
          await loadSession();
          go(`apps/${encodeURIComponent(added.bundle_id)}/start`);
        }}
      />
      <ForDevelopers title="On the command line">
        <Code text={'carillon apps create --bundle-id com.example.app --name "My app"'} />
      </ForDevelopers>
    </div>
  );
}
