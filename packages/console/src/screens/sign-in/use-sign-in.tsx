/** A call that signs in: with name and password, or with a one-time link. It asks for a code only once the server wants one. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { faultAt } from '../../frame/api.ts';
import { loadSession } from '../../frame/session.ts';
import { useAction } from '../../kit/action.tsx';
import type { Content } from '../../kit/content.ts';
import { TextField } from '../../kit/form.tsx';

/**
 * @param props.onDone called once the session of the user is known
 * @returns `codeField` for the form, false until the server has asked for a code; `error` is for `Failure`
 */
export function useSignIn(props: { path: string; body: Readonly<Record<string, unknown>>; onDone: () => void }): {
  run: () => Promise<boolean>;
  isBusy: boolean;
  error: unknown;
  codeField: Content;
} {
  const { path, body, onDone } = props;
  const [code, setCode] = useState('');
  /** The refusal that asked for a code. The next one says that the code is wrong. */
  const [question, setQuestion] = useState<unknown>(undefined);
  const isAsked = question !== undefined;
  const { run, isBusy, error } = useAction<undefined>({
    call: { method: 'POST', path, body: { ...body, ...(isAsked && { code }) } },
    onDone: async () => {
      await loadSession();
      onDone();
    },
  });
  const fault = faultAt(error, 'code');
  useEffect(() => {
    if (!isAsked && fault !== undefined) setQuestion(error);
  }, [isAsked, fault, error]);
  return {
    run,
    isBusy,
    error: fault === undefined ? error : undefined,
    codeField: isAsked && <CodeField value={code} onInput={setCode} error={error === question ? undefined : fault} />,
  };
}

function CodeField(props: { value: string; onInput: (value: string) => void; error: string | undefined }) {
  const frame = useRef<HTMLDivElement>(null);
  // It appears where the reader has just pressed Enter; browsers obey `autofocus` only when a page is loaded.
  useEffect(() => frame.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={frame}>
      <TextField
        label="Code"
        {...props}
        hint="The six digits of your authenticator app, or one of your recovery codes."
        autocomplete="one-time-code"
        code
        required
      />
    </div>
  );
}
