/** Takes the file of Apple or Google, and stores it once the gateway accepts it; else shows the gateway's own words. */
import { useState } from 'preact/hooks';
import type { ApiCall } from '../../../frame/api.ts';
import { lookForTroubles } from '../../../frame/troubles.ts';
import { ActionForm } from '../../../kit/action.tsx';
import { Checkbox, Select, TextArea, TextField } from '../../../kit/form.tsx';
import { Failure } from '../../../kit/states.tsx';
import { type CredentialFile, readCredentialFile } from './credential-file.ts';

const environments = [
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
  const [keyId, setKeyId] = useState(isApple ? file.keyId : '');
  const [teamId, setTeamId] = useState('');
  const [environment, setEnvironment] = useState<(typeof environments)[number]['value']>('all');
  const [check, setCheck] = useState(true);
  const callWith = (secret: object): ApiCall => {
    const ofApple = { key_id: keyId.trim(), team_id: teamId.trim(), environment };
    const credentials = { ...(isApple && ofApple), ...secret, check };
    return { method: 'PUT', path: `/v6/credentials/${file.gateway}`, body: { credentials } };
  };
  const gateway = isApple ? 'Apple' : 'Google';
  return (
    <ActionForm
      label="Store"
      busyLabel={check ? `Asking ${gateway} …` : 'Store'}
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
      {isApple ? (
        <>
          <p>
            <strong>A key of Apple</strong>
          </p>
          <TextField
            label="Key id"
            code
            hint="Ten letters and digits, as in the name of the file."
            value={keyId}
            onInput={setKeyId}
            required
          />
          <TextField
            label="Team id"
            code
            hint="Ten letters and digits, at developer.apple.com under Membership details."
            value={teamId}
            onInput={setTeamId}
            required
            autofocus
          />
          <Select label="For" value={environment} options={environments} onChange={setEnvironment} />
        </>
      ) : (
        <p>
          <strong>A service account of Google</strong>, for the Firebase project <code>{file.projectId}</code>
        </p>
      )}
      <Checkbox label={`Ask ${gateway} first whether it accepts them`} checked={check} onChange={setCheck} />
    </ActionForm>
  );
}

/** Makes the key with which browsers subscribe. One that exists elsewhere is imported by the command line. */
export function VapidForm({ onDone }: { onDone: () => void }) {
  const [address, setAddress] = useState('');
  const subject = address.includes(':') ? address.trim() : `mailto:${address.trim()}`;
  return (
    <ActionForm
      label="Make a key for browsers"
      call={{ method: 'PUT', path: '/v6/credentials/web_push', body: { credentials: { subject } } }}
      done="The VAPID key is made."
      onDone={onDone}>
      <TextField
        label="Address for push services"
        hint="An e-mail address, where they ask about your pushes."
        value={address}
        onInput={setAddress}
        required
      />
    </ActionForm>
  );
}
