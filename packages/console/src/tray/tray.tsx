/**
 * A push as an iPhone, an Android phone or a browser shows it, without those that get none: one at a time, or all where there is
 * room. Texts are cut where phones cut them. A picture is a frame with its address: the console loads nothing from other servers.
 */
import { useState } from 'preact/hooks';
import { isDark } from '../frame/theme.ts';
import type { Content } from '../kit/content.ts';
import { ViewSwitch } from '../kit/view-switch.tsx';
import type { CompiledNotification } from '../replies.ts';
import { BrowserCard } from './browser.tsx';
import { AndroidCard, Badge, IosCard } from './cards.tsx';
import { androidNotes, iosNotes } from './notes.ts';

const NAMES = { ios: 'iPhone', android: 'Android', browser: 'Browser' } as const;

type Shown = keyof typeof NAMES;
type PhoneKind = Exclude<Shown, 'browser'>;

/**
 * @param props.appName the name under which phones show the app
 * @param props.isOutdated whether it shows an older draft, because the present one cannot be compiled
 */
export function Trays(props: {
  compiled: Pick<CompiledNotification, 'apns' | 'fcm' | 'web_push' | 'notification_id'>;
  appName: string;
  isOutdated?: boolean;
}) {
  const { compiled, appName, isOutdated = false } = props;
  const [chosen, setChosen] = useState<Shown>('ios');
  const [isExpanded, setExpanded] = useState(false);
  const [isDarkPhone, setDark] = useState(isDark());
  const [isFocused, setFocused] = useState(false);
  const { notification_id: id, apns, fcm, web_push: browser } = compiled;
  const kinds = (['ios', 'android', 'browser'] as const).filter(
    (kind) => kind === 'ios' || (kind === 'android' ? fcm : browser) !== null,
  );
  const isOther = (kind: Shown): boolean => (kinds.includes(chosen) ? chosen : 'ios') !== kind;
  const shown = { appName, isExpanded, isFocused };
  const { badge, collapse_id: collapseId } = apns.tray;
  return (
    <div class={isOutdated ? 'trays outdated' : 'trays'}>
      {kinds.length > 1 && (
        <ViewSwitch
          label="Device"
          views={kinds.map((view) => ({ view, label: NAMES[view] }))}
          shown={chosen}
          onChoose={setChosen}
        />
      )}
      {isOutdated && <p class="muted">This is an older draft: the present one has faults and cannot be drawn.</p>}
      <div class="trays-phones">
        <Phone
          kind="ios"
          isDark={isDarkPhone}
          isOther={isOther('ios')}
          focus={isFocused && 'Focus'}
          notes={iosNotes(apns.tray, id)}
          below={badge !== null && <Badge appName={appName} count={badge} />}>
          <IosCard tray={apns.tray} isReplacing={collapseId !== null && collapseId !== id} {...shown} />
        </Phone>
        {fcm !== null && (
          <Phone
            kind="android"
            isDark={isDarkPhone}
            isOther={isOther('android')}
            focus={isFocused && 'Do Not Disturb'}
            notes={androidNotes(fcm.tray, id)}>
            <AndroidCard tray={fcm.tray} isReplacing={fcm.tray.collapse_id !== id} {...shown} />
          </Phone>
        )}
      </div>
      {browser !== null && (
        <BrowserCard
          compiled={browser}
          notificationId={id}
          isDark={isDarkPhone}
          isOther={isOther('browser')}
          {...shown}
        />
      )}
      <div class="buttons trays-switches" role="group" aria-label="How the phones are shown">
        <Switch label="Expanded" isOn={isExpanded} onChange={setExpanded} />
        <Switch label="Dark" isOn={isDarkPhone} onChange={setDark} />
        <Switch label="Focus is on" isOn={isFocused} onChange={setFocused} />
      </div>
    </div>
  );
}

/** A phone before there is anything to show. */
export function EmptyTray({ children }: { children: Content }) {
  return (
    <div class="trays">
      <div class="trays-phones">
        <Phone kind="ios" isDark={isDark()}>
          <p class="tray-said">{children}</p>
        </Phone>
      </div>
    </div>
  );
}

function Switch(props: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  const { label, isOn, onChange } = props;
  return (
    <button type="button" class="quiet" aria-pressed={isOn} onClick={() => onChange(!isOn)}>
      {label}
    </button>
  );
}

const TODAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/**
 * A drawn phone: its case, its status bar and its lock screen, on which a push lies.
 * @param props.isOther whether only a wide window shows it, because the reader has chosen another device
 * @param props.focus what is on, such as 'Focus'
 * @param props.children what lies on the lock screen; `below` and `notes` are said about it
 */
function Phone(props: {
  kind: PhoneKind;
  isDark: boolean;
  isOther?: boolean;
  focus?: string | false;
  notes?: readonly string[];
  below?: Content;
  children: Content;
}) {
  const { kind, isDark: isDarkPhone, isOther = false, focus, notes = [], below, children } = props;
  return (
    <section class={isOther ? 'tray other' : 'tray'} aria-label={`On ${NAMES[kind]}`}>
      <h3>{NAMES[kind]}</h3>
      <div class={`tray-phone ${kind}`}>
        <div class="tray-screen" data-look={isDarkPhone ? 'dark' : 'light'}>
          <div class="tray-status" aria-hidden="true">
            <span>{kind === 'android' && '9:41'}</span>
            <span class="tray-camera" />
            <svg viewBox="0 0 44 12" width="44" height="12">
              <path d="M1 11V8M4 11V6M7 11V4M10 11V1" />
              <path d="M16 5a7 7 0 0 1 10 0M18 7.500a4 4 0 0 1 6 0M21 10.500v.1" />
              <path d="M33 2h8q2 0 2 2v4q0 2-2 2h-8q-2 0-2-2v-4q0-2 2-2zM34 5h5M34 7h5" />
            </svg>
          </div>
          <div class="tray-clock" aria-hidden="true">
            <span>{TODAY.format()}</span>
            <span>9:41</span>
          </div>
          {focus && <p class="tray-focus">{focus}</p>}
          <div class={`tray-${kind}`}>{children}</div>
        </div>
      </div>
      {below}
      {notes.length > 0 && (
        <ul class="tray-notes">
          {notes.map((note) => (
            <li key={note}>
              <bdi>{note}</bdi>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
