/**
 * A push as an iPhone, an Android phone or a browser shows it, without those that get none: one at a time, or all where there is
 * room. Texts are cut where phones cut them. A picture is a frame with its address: the console loads nothing from other servers.
 */
import { useState } from 'preact/hooks';
import { isDark } from '../frame/theme.ts';
import type { Content } from '../kit/content.ts';
import { ViewSwitch } from '../kit/view-switch.tsx';
import type { CompiledNotification } from '../replies.ts';
import { AndroidCard, Badge, BrowserCard, IosCard } from './cards.tsx';
import { androidNotes, iosNotes } from './notes.ts';

const DEVICES = [
  { view: 'ios', label: 'iPhone', place: 'On iPhone', focus: 'Focus' },
  { view: 'android', label: 'Android', place: 'On Android', focus: 'Do Not Disturb' },
  { view: 'browser', label: 'Browser', place: 'In a browser', focus: undefined },
] as const;

type Kind = (typeof DEVICES)[number]['view'];

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
  const [chosen, setChosen] = useState<Kind>('ios');
  const [isExpanded, setExpanded] = useState(false);
  const [isDarkDevice, setDark] = useState(isDark());
  const [isFocused, setFocused] = useState(false);
  const { notification_id: id, apns, fcm, web_push: browser } = compiled;
  const requests = { ios: apns, android: fcm, browser };
  const devices = DEVICES.filter(({ view }) => requests[view] !== null);
  const { view: shown } = devices.find(({ view }) => view === chosen) ?? DEVICES[0];
  const ofCard = { notificationId: id, appName, isExpanded, isFocused };
  const ofDevice = { shown, isDark: isDarkDevice, isFocused };
  const { badge } = apns.tray;
  return (
    <div class={isOutdated ? 'stack trays outdated' : 'stack trays'}>
      {devices.length > 1 && <ViewSwitch label="Device" views={devices} shown={shown} onChoose={setChosen} />}
      {isOutdated && <p class="muted">This is an older draft: the present one has faults and cannot be drawn.</p>}
      <div class="trays-phones">
        <Device
          kind="ios"
          {...ofDevice}
          notes={iosNotes(apns.tray, id)}
          below={badge !== null && <Badge appName={appName} count={badge} />}>
          <IosCard tray={apns.tray} {...ofCard} />
        </Device>
        {fcm !== null && (
          <Device kind="android" {...ofDevice} notes={androidNotes(fcm.tray, id)}>
            <AndroidCard tray={fcm.tray} {...ofCard} />
          </Device>
        )}
      </div>
      {browser !== null && (
        <Device kind="browser" {...ofDevice}>
          <BrowserCard compiled={browser} {...ofCard} />
        </Device>
      )}
      <div class="buttons" role="group" aria-label="How the phones are shown">
        <Switch label="Expanded" isOn={isExpanded} onChange={setExpanded} />
        <Switch label="Dark" isOn={isDarkDevice} onChange={setDark} />
        <Switch label="Focus is on" isOn={isFocused} onChange={setFocused} />
      </div>
    </div>
  );
}

/** A phone before there is anything to show. */
export function EmptyTray({ children }: { children: Content }) {
  return (
    <div class="stack trays">
      <div class="trays-phones">
        <Device kind="ios" shown="ios" isDark={isDark()}>
          <p class="tray-said">{children}</p>
        </Device>
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

/**
 * What a push lies on: a phone with its case, its status bar and its lock screen, or a part of the screen of a computer.
 * @param props.shown the only one that a narrow window shows
 * @param props.children the push; `below` and `notes` are said about it
 */
function Device(props: {
  kind: Kind;
  shown: Kind;
  isDark: boolean;
  isFocused?: boolean;
  notes?: readonly string[];
  below?: Content;
  children: Content;
}) {
  const { kind, shown, isDark: isDarkDevice, isFocused = false, notes = [], below, children } = props;
  const { label, place, focus } = DEVICES.find(({ view }) => view === kind) ?? DEVICES[0];
  return (
    <section class={`stack tray${shown === kind ? '' : ' other'}`} aria-label={place}>
      <h3>{label}</h3>
      <div class={kind === 'browser' ? undefined : `tray-phone ${kind}`}>
        <div class="tray-screen" data-look={isDarkDevice ? 'dark' : 'light'}>
          {kind !== 'browser' && <LockScreen kind={kind} />}
          {isFocused && focus && <p class="badge">{focus}</p>}
          <div class={`stack close tray-${kind}`}>{children}</div>
        </div>
      </div>
      {below}
      {notes.length > 0 && (
        <ul class="hint tray-notes">
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

const TODAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/** What a phone shows above its pushes. */
function LockScreen({ kind }: { kind: Kind }) {
  return (
    <>
      <div class="tray-status" aria-hidden="true">
        <span>{kind === 'android' && '9:41'}</span>
        <span class="tray-camera" />
        <svg class="icon" viewBox="0 0 44 12" width="44" height="12">
          <path d="M1 11V8M4 11V6M7 11V4M10 11V1" />
          <path d="M16 5a7 7 0 0 1 10 0M18 7.500a4 4 0 0 1 6 0M21 10.500v.1" />
          <path d="M33 2h8q2 0 2 2v4q0 2-2 2h-8q-2 0-2-2v-4q0-2 2-2zM34 5h5M34 7h5" />
        </svg>
      </div>
      <div class="tray-clock" aria-hidden="true">
        <span>{TODAY.format()}</span>
        <span class="display">9:41</span>
      </div>
    </>
  );
}
