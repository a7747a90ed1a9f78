/** What the pages of signing in share: with name and password, and with a one-time link. */
import { useState } from 'preact/hooks';
import { faultAt } from '../../frame/api.ts';
import { Mark } from '../../frame/mark.tsx';
import { loadSession } from '../../frame/session.ts';
import { ActionForm, type Fields } from '../../kit/action.tsx';
import type { Content } from '../../kit/content.ts';

/** A page for people without a session: the mark, what this is, and the children. */
export function SignInPage({ title, children }: { title: string; children?: Content }) {
  return (
    <div class="alone">
      <div class="card stack sign-in">
        <header>
          <Mark />
          <h1>{title}</h1>
          <p class="muted">Push notifications to the phones of your apps, from this server.</p>
        </header>
        {children}
      </div>
    </div>
  );
}

/**
 * A call that signs in. It asks for a code only once the server wants one.
 * @param props.body is sent with the texts of the fields
 * @param props.onDone called once the session of the user is known
 */
export function SignInForm(props: { label: string; path: string; body?: object; fields: Fields; onDone: () => void }) {
  const { label, path, body, fields, onDone } = props;
  const [isCodeAsked, setCodeAsked] = useState(false);
  const code = {
    label: 'Code',
    type: 'code',
    hint: 'The six digits of your authenticator app, or one of your recovery codes.',
    code: true,
    autofocus: true,
  } as const;
  return (
    <ActionForm
      label={label}
      call={(texts) => ({ method: 'POST', path, body: { ...body, ...texts } })}
      fields={{ ...fields, ...(isCodeAsked && { code }) }}
      onDone={async () => {
        await loadSession();
        onDone();
      }}
      onRefused={(refusal) => {
        const asks = !isCodeAsked && faultAt(refusal, 'code') !== undefined;
        if (asks) setCodeAsked(true);
        return asks;
      }}
    />
  );
}
