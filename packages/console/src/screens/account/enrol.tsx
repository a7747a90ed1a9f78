/** The steps of turning the second factor on: the password, the code of an app, the recovery codes. */
import { useState } from 'preact/hooks';
import { faultAt } from '../../frame/api.ts';
import { announce } from '../../frame/notices.tsx';
import { saveAs, useAction } from '../../kit/action.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { Form, TextField } from '../../kit/form.tsx';
import { Failure } from '../../kit/states.tsx';
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
  const { run, isBusy, error } = useAction<Enrolled>({
    call: { method: 'POST', path: PATH, body: { password } },
    onDone: (reply) => {
      setPassword('');
      setEnrolled(reply);
    },
  });
  if (enrolled !== undefined) return <Confirm {...enrolled} onCodes={onCodes} />;
  const fault = faultAt(error, 'password');
  return (
    <Form onSubmit={run} label="Set up a second factor">
      <TextField
        label="Your password"
        type="password"
        value={password}
        onInput={setPassword}
        error={fault}
        autocomplete="current-password"
        required
      />
      {error !== undefined && fault === undefined && <Failure error={error} />}
      <div class="buttons">
        <button class="primary" disabled={isBusy} aria-busy={isBusy}>
          Set it up
        </button>
      </div>
    </Form>
  );
}

function Confirm(props: Enrolled & { onCodes: (codes: readonly string[]) => Promise<void> }) {
  const { secret, address, onCodes } = props;
  const [code, setCode] = useState('');
  const { run, isBusy, error } = useAction<{ recovery_codes: readonly string[] }>({
    call: { method: 'PUT', path: PATH, body: { code } },
    onDone: async ({ recovery_codes: codes }) => {
      announce('The second factor is on. All other browsers are signed out.');
      await onCodes(codes);
    },
  });
  const fault = faultAt(error, 'code');
  return (
    <div class="account-enrol">
      <QrCode text={address} label="QR code for an authenticator app" />
      <div class="stack">
        <p>Scan this with an authenticator app on your phone, or type the secret into it:</p>
        <pre class="code" tabindex={0} aria-label="Secret" role="region">
          {secret.replaceAll(/.{4}(?=.)/g, '$& ')}
        </pre>
        <div class="buttons">
          <CopyButton text={secret} what="Copy the secret" />
        </div>
        <Form onSubmit={run} label="Enter a code">
          <TextField
            label="Code"
            value={code}
            onInput={setCode}
            error={fault}
            hint="The six digits that the app shows now."
            autocomplete="one-time-code"
            inputMode="numeric"
            code
            required
          />
          {error !== undefined && fault === undefined && <Failure error={error} />}
          <div class="buttons">
            <button class="primary" disabled={isBusy} aria-busy={isBusy}>
              Turn it on
            </button>
          </div>
        </Form>
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
      <pre class="code" tabindex={0} aria-label="Recovery codes" role="region">
        {text}
      </pre>
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
