/** Forms that store credentials. The gateway is asked first; its own words are shown if it refuses. */
import { useState } from 'preact/hooks';
import type { ApiCall } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { ActionDialog } from '../../kit/action.tsx';
import { Checkbox, Select, TextArea, TextField } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';

interface FormProps {
  onClose: () => void;
  onDone: () => void;
}

const environments = [
  { value: 'all', label: 'All environments' },
  { value: 'production', label: 'Production only' },
  { value: 'sandbox', label: 'Development only' },
] as const;
type Environment = (typeof environments)[number]['value'];

export function AppleForm({ onClose, onDone }: FormProps): Content {
  const [keyId, setKeyId] = useState('');
  const [teamId, setTeamId] = useState('');
  const [privateKey, setPrivateKey] = useState('');
  const [environment, setEnvironment] = useState<Environment>('all');
  const [check, setCheck] = useState(true);
  const rest = { key_id: keyId.trim(), team_id: teamId.trim(), environment, check };
  return (
    <StoreDialog
      title="Store an Apple key"
      gateway="apns"
      credentials={{ ...rest, private_key: privateKey }}
      shown={{ ...rest, private_key: '<the text of AuthKey_….p8>' }}
      isComplete={keyId !== '' && teamId !== '' && privateKey !== ''}
      onClose={onClose}
      onDone={onDone}>
      <TextField label="Key id" code hint="Ten letters and digits." value={keyId} onInput={setKeyId} autofocus />
      <TextField label="Team id" code hint="Ten letters and digits." value={teamId} onInput={setTeamId} />
      <TextArea
        label="Private key"
        code
        rows={5}
        hint="The text of Apple’s .p8 file."
        value={privateKey}
        onInput={setPrivateKey}
      />
      <Select label="For" value={environment} options={environments} onChange={setEnvironment} />
      <Checkbox label="Ask Apple first whether it accepts the key" checked={check} onChange={setCheck} />
    </StoreDialog>
  );
}

export function GoogleForm({ onClose, onDone }: FormProps): Content {
  const [text, setText] = useState('');
  const [check, setCheck] = useState(true);
  const account = parsed(text);
  return (
    <StoreDialog
      title="Store a service account"
      gateway="fcm"
      credentials={{ service_account: account, check }}
      shown={{ service_account: '<the JSON of the file>', check }}
      isComplete={account !== undefined}
      onClose={onClose}
      onDone={onDone}>
      <TextArea
        label="Service account"
        code
        rows={8}
        hint="The JSON file that Google Cloud makes for a new key of the account."
        value={text}
        onInput={setText}
        error={text.trim() !== '' && account === undefined ? 'This is not a JSON object.' : undefined}
      />
      <Checkbox label="Ask Google first whether it accepts the account" checked={check} onChange={setCheck} />
    </StoreDialog>
  );
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param props.shown the same without the secret, for the curl */
function StoreDialog(
  props: FormProps & {
    title: string;
    gateway: 'apns' | 'fcm';
    credentials: object;
    shown: object;
    isComplete: boolean;
    children?: Content;
  },
): Content {
  const { title, gateway, credentials, shown, isComplete, onClose, onDone, children } = props;
  const callWith = (given: object): ApiCall => ({
    method: 'PUT',
    path: `/v6/credentials/${gateway}`,
    body: { credentials: given },
  });
  return (
    <ActionDialog
      title={title}
      label="Store"
      busyLabel="Asking …"
      call={callWith(credentials)}
      shown={callWith(shown)}
      isComplete={isComplete}
      onDone={() => {
        announce('The credentials are stored.');
        onDone();
      }}
      onClose={onClose}>
      {children}
    </ActionDialog>
  );
}
