/**
 * A push as an iPhone and an Android phone show it, or only an iPhone if Google gets none. Texts are cut where phones
 * cut them. A picture is a frame with its address: the console loads nothing from other servers.
 */
import { useState } from 'preact/hooks';
import { isDark } from '../frame/theme.ts';
import type { Content } from '../kit/content.ts';
import { AndroidCard } from './android.tsx';
import { IosCard } from './ios.tsx';
import { androidNotes, iosNotes } from './notes.ts';
import type { Requests } from './preview-reply.ts';

interface TraysProps {
  compiled: Requests & { notification_id: string };
  /** The name under which phones show the app. */
  appName: string;
  /** Whether it shows an older draft, because the present one cannot be compiled. */
  isOutdated?: boolean;
}

export function Trays({ compiled, appName, isOutdated = false }: TraysProps): Content {
  const [isExpanded, setExpanded] = useState(false);
  const [look, setLook] = useState<'light' | 'dark'>(isDark() ? 'dark' : 'light');
  const [isFocused, setFocused] = useState(false);
  const { notification_id: id, apns, fcm } = compiled;
  const shown = { appName, isExpanded, isFocused };
  return (
    <div class={isOutdated ? 'trays outdated' : 'trays'}>
      <div class="trays-switches" role="group" aria-label="How the phones are shown">
        <Switch label="Expanded" isOn={isExpanded} onChange={setExpanded} />
        <Switch label="Dark" isOn={look === 'dark'} onChange={(dark) => setLook(dark ? 'dark' : 'light')} />
        <Switch label="Focus is on" isOn={isFocused} onChange={setFocused} />
      </div>
      {isOutdated && <p class="muted">This is an older draft: the present one has faults and cannot be drawn.</p>}
      <div class="trays-phones">
        <Phone name="iPhone" look={look} notes={iosNotes(apns.tray, id)}>
          <IosCard tray={apns.tray} isReplacing={![null, id].includes(apns.tray.collapse_id)} {...shown} />
        </Phone>
        {fcm !== null && (
          <Phone name="Android" look={look} notes={androidNotes(fcm.tray, id)}>
            <AndroidCard tray={fcm.tray} isReplacing={fcm.tray.collapse_id !== id} {...shown} />
          </Phone>
        )}
      </div>
    </div>
  );
}

function Switch(props: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }): Content {
  const { label, isOn, onChange } = props;
  return (
    <button type="button" class="quiet" aria-pressed={isOn} onClick={() => onChange(!isOn)}>
      {label}
    </button>
  );
}

function Phone(props: { name: string; look: 'light' | 'dark'; notes: readonly string[]; children?: Content }): Content {
  const { name, look, notes, children } = props;
  return (
    <section class="tray" aria-label={`On ${name}`}>
      <h3>{name}</h3>
      <div class="tray-screen" data-look={look}>
        {children}
      </div>
      <ul class="tray-notes">
        {notes.map((note) => (
          <li key={note}>
            <bdi>{note}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}
