/** The steps of turning the second factor on: the password, the code of an app, the recovery codes. */
import { useState } from 'preact/hooks';
import { ActionForm, saveAs } from '../../kit/action.tsx';
import { Code, CopyButton } from '../../kit/copy.tsx';
import { TextField } from '../../kit/form.tsx';
import { QrCode } from './qr-code.tsx';

const PATH = '/console/second-factor';

interface Enrolled {
  /** Base32. */
  secret: string;
  /** `otpauth://…`, for the QR code. */
  address: string;
}

/** @param props.onCodes called once the second factor is on, with the recovery codes */
export function Enrol({ onCodes }: { onCodes: (codes: readonly string[]) => Promise<void> }) {
  const [enrolled, setEnrolled] = useState<Enrolled | undefined>(undefined);
  const [password, setPassword] = useState('');
  if (enrolled !== undefined) return <Confirm {...enrolled} onCodes={onCodes} />;
  return (
    <ActionForm
      name="Set up a second factor"
      label="Set it up"
      call={{ method: 'POST', path: PATH, body: { password } }}
      onDone={setEnrolled}>
      {(faultOf) => (
        <TextField
          label="Your password"
          type="password"
          value={password}
          onInput={setPassword}
          error={faultOf('password')}
          autocomplete="current-password"
          required
        />
      )}
    </ActionForm>
  );
}

function Confirm(props: Enrolled & { onCodes: (codes: readonly string[]) => Promise<void> }) {
  const { secret, address, onCodes } = props;
  const [code, setCode] = useState('');
  return (
    <div class="in-line account-enrol">
      <QrCode text={address} label="QR code for an authenticator app" />
      <div class="stack">
        <p>Scan this with an authenticator app on your phone, or type the secret into it:</p>
        <Code label="Secret" text={secret.replaceAll(/.{4}(?=.)/g, '$& ')} />
        <div class="buttons">
          <CopyButton text={secret} what="Copy the secret" />
        </div>
        <ActionForm
          name="Enter a code"
          label="Turn it on"
          call={{ method: 'PUT', path: PATH, body: { code } }}
          done="The second factor is on. All other browsers are signed out."
          onDone={async ({ recovery_codes: codes }: { recovery_codes: readonly string[] }) => onCodes(codes)}>
          {(faultOf) => (
            <TextField
              label="Code"
              value={code}
              onInput={setCode}
              error={faultOf('code')}
              hint="The six digits that the app shows now."
              autocomplete="one-time-code"
              inputMode="numeric"
              code
              required
            />
          )}
        </ActionForm>
      </div>
    </div>
  );
}

/** The server keeps only their hashes. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const text = `${codes.join('\n')}\n`;
  return (
    <div class="stack">
      <p>
        The second factor is on. If your phone is lost, each of these codes signs you in once. They are shown only now:
        keep them where you would find them without the phone.
      </p>
      <Code label="Recovery codes" text={text} />
      <div class="buttons">
        <CopyButton text={text} what="Copy the codes" />
        <button
          type="button"
          class="quiet"
          onClick={() => saveAs(new Blob([text], { type: 'text/plain' }), 'carillon-recovery-codes.txt')}>
          Download the codes
        </button>
        <button type="button" class="primary" onClick={onKept}>
          I have kept them
        </button>
      </div>
    </div>
  );
}
