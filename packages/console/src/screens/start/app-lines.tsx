/** The lines of docs/connect.md with the key of this app and the address of this server in them. */
import { useState } from 'preact/hooks';
import { urlOf } from '../../frame/api.ts';
import { app } from '../../frame/session.ts';
import { Code, CopyButton } from '../../kit/copy.tsx';
import { TextField } from '../../kit/form.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import lines from './connect-lines.json' with { type: 'json' };

const files: Readonly<Record<string, readonly { name: string; text: string }[]>> = {
  swift: [{ name: 'AppDelegate.swift', text: lines.swift }],
  kotlin: [{ name: 'Carillon.kt', text: lines.kotlin }],
  javascript: [
    { name: 'carillon.js', text: lines.client },
    { name: 'push.js', text: lines.capacitor },
  ],
};
const languages = [
  { view: 'swift', label: 'Swift' },
  { view: 'kotlin', label: 'Kotlin' },
  { view: 'javascript', label: 'JavaScript' },
] as const;

/** @param props.secret the register key; undefined: the lines keep the word that stands for it */
export function AppLines({ secret }: { secret: string | undefined }) {
  const [language, setLanguage] = useState('swift');
  const [address, setAddress] = useState(() => urlOf('').replace(/\/$/, ''));
  const url = URL.parse(address.trim());
  const fill = (text: string): string =>
    text
      .replaceAll('https://push.example.com', url?.href.replace(/\/$/, '') ?? 'https://push.example.com')
      .replaceAll('THE_REGISTER_KEY', secret ?? 'THE_REGISTER_KEY')
      .replaceAll('group.com.example.app', `group.${app.value?.bundle_id ?? ''}`);
  return (
    <div class="stack">
      <TextField
        label="Address of this server, for phones"
        type="url"
        code
        value={address}
        onInput={setAddress}
        hint={
          isLocal(url) ? 'A phone does not find this address: it means the phone itself. An emulator may.' : undefined
        }
        error={url === null ? 'This is not an address such as https://push.example.com.' : undefined}
      />
      <ViewSwitch label="Language" views={languages} shown={language} onChoose={setLanguage} />
      {files[language]?.map(({ name, text }) => (
        <figure key={name} class="start-file">
          <figcaption class="screen-head muted">
            <span>{name}</span>
            <CopyButton text={fill(text)} what={`Copy ${name}`} />
          </figcaption>
          <Code label={name} text={fill(text)} />
        </figure>
      ))}
      <p class="muted">
        The page <cite>Connect your app</cite> of the documentation has more: receipts, React Native, Flutter.
      </p>
    </div>
  );
}

function isLocal(url: URL | null): boolean {
  return url !== null && /^(?:localhost|127\.|\[::1\])/.test(url.hostname);
}
