/**
 * A push as an iPhone or an Android phone shows it, or only an iPhone if Google gets none: one at a time, both where there is
 * room. Texts are cut where phones cut them. A picture is a frame with its address: the console loads nothing from other servers.
 */
import { useState } from 'preact/hooks';
import { isDark } from '../frame/theme.ts';
import type { Content } from '../kit/content.ts';
import { ViewSwitch } from '../kit/view-switch.tsx';
import { AndroidCard } from './android.tsx';
import { Badge } from './card.tsx';
import { IosCard } from './ios.tsx';
import { androidNotes, iosNotes } from './notes.ts';
import { Phone, type PhoneKind, phoneName } from './phone.tsx';
import type { Requests } from './preview-reply.ts';

export function Trays(props: {
  compiled: Requests & { notification_id: string };
  /** The name under which phones show the app. */
  appName: string;
  /** Whether it shows an older draft, because the present one cannot be compiled. */
  isOutdated?: boolean;
}): Content {
  const { compiled, appName, isOutdated = false } = props;
  const [chosen, setChosen] = useState<PhoneKind>('ios');
  const [isExpanded, setExpanded] = useState(false);
  const [look, setLook] = useState<'light' | 'dark'>(isDark() ? 'dark' : 'light');
  const [isFocused, setFocused] = useState(false);
  const { notification_id: id, apns, fcm } = compiled;
  const shown = { appName, isExpanded, isFocused };
  const { badge } = apns.tray;
  return (
    <div class={isOutdated ? 'trays outdated' : 'trays'}>
      {fcm !== null && (
        <div class="trays-which">
          <ViewSwitch
            label="Phone"
            views={(['ios', 'android'] as const).map((view) => ({ view, label: phoneName(view) }))}
            shown={chosen}
            onChoose={setChosen}
          />
        </div>
      )}
      {isOutdated && <p class="muted">This is an older draft: the present one has faults and cannot be drawn.</p>}
      <div class="trays-phones">
        <Phone
          kind="ios"
          look={look}
          isOther={fcm !== null && chosen !== 'ios'}
          focus={isFocused ? 'Focus' : undefined}
          below={
            <>
              {badge !== null && <Badge appName={appName} count={badge} />}
              <Notes notes={iosNotes(apns.tray, id)} />
            </>
          }>
          <IosCard tray={apns.tray} isReplacing={![null, id].includes(apns.tray.collapse_id)} {...shown} />
        </Phone>
        {fcm !== null && (
          <Phone
            kind="android"
            look={look}
            isOther={chosen !== 'android'}
            focus={isFocused ? 'Do Not Disturb' : undefined}
            below={<Notes notes={androidNotes(fcm.tray, id)} />}>
            <AndroidCard tray={fcm.tray} isReplacing={fcm.tray.collapse_id !== id} {...shown} />
          </Phone>
        )}
      </div>
      <div class="trays-switches" role="group" aria-label="How the phones are shown">
        <Switch label="Expanded" isOn={isExpanded} onChange={setExpanded} />
        <Switch label="Dark" isOn={look === 'dark'} onChange={(dark) => setLook(dark ? 'dark' : 'light')} />
        <Switch label="Focus is on" isOn={isFocused} onChange={setFocused} />
      </div>
    </div>
  );
}

/** A phone before there is anything to show. */
export function EmptyTray({ children }: { children: Content }): Content {
  return (
    <div class="trays">
      <div class="trays-phones">
        <Phone kind="ios" look={isDark() ? 'dark' : 'light'}>
          <p class="tray-nothing">{children}</p>
        </Phone>
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

function Notes({ notes }: { notes: readonly string[] }): Content {
  return (
    <ul class="tray-notes">
      {notes.map((note) => (
        <li key={note}>
          <bdi>{note}</bdi>
        </li>
      ))}
    </ul>
  );
}
