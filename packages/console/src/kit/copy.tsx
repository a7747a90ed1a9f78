import { announce } from '../frame/notices.tsx';
import { Icon } from './icon.tsx';

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    announce('Copied.');
  } catch {
    announce('The browser does not allow copying here; select the text instead.', { isBad: true });
  }
}

/** Copies a text: an id, a curl line, JSON. */
export function CopyButton({ text, what = 'Copy' }: { text: string; what?: string }) {
  return (
    <button type="button" class="quiet" onClick={async () => copy(text)}>
      <Icon name="copy" />
      {what}
    </button>
  );
}

/** An id in full, with a button that copies it. */
export function Id({ value }: { value: string }) {
  return (
    <span class="id">
      <code>{value}</code>
      <button type="button" class="plain" aria-label={`Copy ${value}`} onClick={async () => copy(value)}>
        <Icon name="copy" />
      </button>
    </span>
  );
}

/** Text that is typed or copied as it is: a command, a secret, a program. */
export function Code({ text, label }: { text: string; label?: string }) {
  return (
    <pre class="code" tabindex={0} {...(label !== undefined && { 'aria-label': label, role: 'region' as const })}>
      {text}
    </pre>
  );
}
