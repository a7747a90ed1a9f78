/** Takes the file of Apple or Google, and stores it once the gateway accepts it; else shows the gateway's own words. */
import { useState } from 'preact/hooks';
import type { ApiCall } from '../../../frame/api.ts';
import { lookForTroubles } from '../../../frame/troubles.ts';
import { ActionForm } from '../../../kit/action.tsx';
import { Checkbox, Select, TextArea } from '../../../kit/form.tsx';
import { Failure } from '../../../kit/states.tsx';
import { type CredentialFile, readCredentialFile } from './credential-file.ts';

export const environments = [
  { value: 'all', label: 'All environments' },
  { value: 'production', label: 'Production only' },
  { value: 'sandbox', label: 'Development only' },
] as const;

export function CredentialForm({ onDone }: { onDone: () => void }) {
  const [file, setFile] = useState<CredentialFile | undefined>(undefined);
  const read = async (chosen: File | undefined): Promise<void> => {
    if (chosen !== undefined) setFile(readCredentialFile({ name: chosen.name, text: await chosen.text() }));
  };
  if (file?.gateway !== undefined) return <StoreFile file={file} onDone={onDone} onBack={() => setFile(undefined)} />;
  return (
    <div class="form">
      <label
        class="settings-drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={async (event) => {
          event.preventDefault();
          await read(event.dataTransfer?.files[0]);
        }}>
        <input
          type="file"
          class="visually-hidden"
          accept=".p8,.json,application/json"
          onChange={async ({ currentTarget }) => read(currentTarget.files?.[0])}
        />
        <strong>Drop the file here, or choose it</strong>
        <span class="muted">
          Apple: AuthKey_….p8, made under Certificates, Identifiers &amp; Profiles › Keys. Google: the JSON that
          Firebase makes under Project settings › Service accounts.
        </span>
      </label>
      {file !== undefined && <Failure error={new Error(file.fault)} />}
      <details>
        <summary>Paste its text instead</summary>
        <TextArea
          label="Text of the file"
          code
          value=""
          onInput={(text) => setFile(readCredentialFile({ name: '', text }))}
        />
      </details>
    </div>
  );
}

function StoreFile(props: {
  file: Exclude<CredentialFile, { gateway: undefined }>;
  onDone: () => void;
  onBack: () => void;
}) {
  const { file, onDone, onBack } = props;
  const isApple = file.gateway === 'apns';
  const [environment, setEnvironment] = useState<(typeof environments)[number]['value']>('all');
  const [check, setCheck] = useState(true);
  const callWith =
    (secret: object) =>
    (ids: object): ApiCall => {
      const credentials = { ...ids, ...(isApple && { environment }), ...secret, check };
      return { method: 'PUT', path: `/v6/credentials/${file.gateway}`, body: { credentials } };
    };
  const gateway = isApple ? 'Apple' : 'Google';
  return (
    <div class="stack">
      {isApple ? (
        <p>
          <strong>A key of Apple</strong>
        </p>
      ) : (
        <p>
          <strong>A service account of Google</strong>, for the Firebase project <code>{file.projectId}</code>
        </p>
      )}
      <ActionForm
        label="Store"
        busyLabel={check ? `Asking ${gateway} …` : 'Store'}
        fields={isApple ? { ...appleIds, key_id: { ...appleIds.key_id, initial: file.keyId } } : {}}
        call={callWith(isApple ? { private_key: file.privateKey } : { service_account: file.account })}
        shown={callWith(
          isApple ? { private_key: '<the text of AuthKey_….p8>' } : { service_account: '<the JSON of the file>' },
        )}
        done="The credentials are stored."
        onDone={() => {
          lookForTroubles();
          onDone();
        }}
        further={
          <button type="button" onClick={onBack}>
            Another file
          </button>
        }>
        {isApple && <Select label="For" value={environment} options={environments} onChange={setEnvironment} />}
        <Checkbox label={`Ask ${gateway} first whether it accepts them`} checked={check} onChange={setCheck} />
      </ActionForm>
    </div>
  );
}

const appleIds = {
  key_id: { label: 'Key id', hint: 'Ten letters and digits, as in the name of the file.', code: true },
  team_id: {
    label: 'Team id',
    hint: 'Ten letters and digits, at developer.apple.com under Membership details.',
    code: true,
    autofocus: true,
  },
};

/** Makes the key with which browsers subscribe. One that exists elsewhere is imported by the command line. */
export function VapidForm({ onDone }: { onDone: () => void }) {
  return (
    <ActionForm
      label="Make a key for browsers"
      fields={{
        address: { label: 'Address for push services', hint: 'An e-mail address, where they ask about your pushes.' },
      }}
      call={({ address = '' }) => {
        const subject = address.includes(':') ? address : `mailto:${address}`;
        return { method: 'PUT', path: '/v6/credentials/web_push', body: { credentials: { subject } } };
      }}
      done="The VAPID key is made."
      onDone={onDone}
    />
  );
}
