/** The card of a push on the lock screen of an iPhone and of an Android phone, and in a browser on a computer. */
import type { Content } from '../kit/content.ts';
import type { AndroidTray, CompiledWebPush, IosTray } from '../replies.ts';

interface CardProps<Tray> {
  tray: Tray;
  /** The collapse id of a push without a collapse key. */
  notificationId: string;
  appName: string;
  isExpanded: boolean;
  /** Whether a Focus (iOS) or Do Not Disturb (Android) is on. */
  isFocused: boolean;
}

/** Lines of the text on the lock screen of an iPhone, at the usual size of letters. */
const IOS_LINES = 4;

export function IosCard(props: CardProps<IosTray>) {
  const { tray, appName, isExpanded, isFocused } = props;
  const { title, subtitle, body, interruption_level: level } = tray;
  const isHeld = isFocused && (level === 'passive' || level === 'active');
  const lines = (most: number): number | undefined => (isExpanded ? undefined : most);
  const picture = tray.is_mutable && <Picture address={tray.image} isLarge={isExpanded} />;
  return (
    <Card {...props} isHeld={isHeld} note={isHeld && 'Held back until the Focus ends'}>
      {isExpanded && picture}
      <div class="tray-row">
        <AppIcon appName={appName} />
        <div class="tray-texts">
          {level === 'critical' && <p class="tray-title">Critical</p>}
          {level === 'time-sensitive' && <p class="tray-title">Time Sensitive</p>}
          <span class="muted tray-when">now</span>
          <Line text={title} name="tray-title" lines={lines(1)} />
          <Line text={subtitle} name="tray-title" lines={lines(1)} />
          <Line text={body} name="tray-body" lines={lines(subtitle === null ? IOS_LINES : IOS_LINES - 1)} />
        </div>
        {!isExpanded && picture}
      </div>
    </Card>
  );
}

/** Android keeps this many characters of a text. */
const ANDROID_CHARACTERS = 1_024;
/** Lines of an expanded text; buttons take the space of four. */
const ANDROID_LINES = 13;
const LINES_OF_BUTTONS = 4;

export function AndroidCard(props: CardProps<AndroidTray>) {
  const { tray, appName, isExpanded, isFocused } = props;
  const { image, category, color } = tray;
  const [title, body] = [tray.title, tray.body].map((text) => text && text.slice(0, ANDROID_CHARACTERS));
  const expanded = category === null ? ANDROID_LINES : ANDROID_LINES - LINES_OF_BUTTONS;
  const picture = <Picture address={image} isLarge={isExpanded} />;
  return (
    <Card {...props} note={isFocused && 'Silent, unless its channel may disturb'}>
      <p class="tray-row muted">
        <span class="tray-small-icon" style={{ backgroundColor: color ?? 'var(--accent)' }} aria-hidden="true" />
        <span class="cut" dir="auto">
          {appName}
        </span>
        ·{'\u00A0'}now
      </p>
      <div class="tray-row">
        <div class="tray-texts">
          <Line text={title} name="tray-title" lines={1} />
          {/* A large picture leaves one line for the text. */}
          <Line text={body} name="tray-body" lines={isExpanded && image === null ? expanded : 1} />
        </div>
        {!isExpanded && picture}
      </div>
      {isExpanded && picture}
    </Card>
  );
}

function Card(props: CardProps<IosTray | AndroidTray> & { isHeld?: boolean; note: Content; children: Content }) {
  const { tray, notificationId, isExpanded, isHeld = false, note, children } = props;
  const { collapse_id: collapseId } = tray;
  if (!tray.is_shown) return <p class="tray-said">Nothing is shown.</p>;
  return (
    <>
      <article class={isHeld ? 'stack close tray-card held' : 'stack close tray-card'}>
        {children}
        {isExpanded && tray.category !== null && (
          <p class="muted tray-actions">
            Buttons of “<bdi>{tray.category}</bdi>”
          </p>
        )}
      </article>
      {note !== false && <p class="tray-said">{note}</p>}
      {/* The edge of the push that disappears. */}
      {collapseId !== null && collapseId !== notificationId && (
        <p class="tray-said">It replaces an earlier push with this key</p>
      )}
    </>
  );
}

/** The JSON that all browsers get, as far as it is drawn (src/gateways/web-push/compile-web-push.ts). */
interface BrowserMessage {
  notification: {
    title: string;
    body?: string;
    navigate?: string;
    tag: string;
    icon?: string;
    image?: string;
    silent?: boolean;
    actions?: { action: string; title: string }[];
  };
}

/** Lines of the text of a browser before it is expanded. */
const BROWSER_LINES = 4;
/** Most browsers show two buttons. */
const BROWSER_BUTTONS = 2;

export function BrowserCard(props: {
  compiled: CompiledWebPush;
  notificationId: string;
  appName: string;
  isExpanded: boolean;
}) {
  const { compiled, notificationId, appName, isExpanded } = props;
  const { notification }: BrowserMessage = JSON.parse(compiled.body);
  const { title, body, navigate, tag, icon, image, silent, actions = [] } = notification;
  return (
    <>
      <article class="stack close tray-card">
        <div class="tray-row">
          {icon === undefined ? <AppIcon appName={appName} /> : <Picture address={icon} isLarge={false} />}
          <div class="tray-texts">
            <Line text={title} name="tray-title" lines={isExpanded ? undefined : 1} />
            <Line text={body} name="tray-body" lines={isExpanded ? undefined : BROWSER_LINES} />
            <p class="muted">
              <bdi>{navigate === undefined ? 'the address of your site' : URL.parse(navigate)?.host}</bdi>
            </p>
          </div>
        </div>
        <Picture address={image} isLarge={true} />
        {actions.length > 0 && (
          <p class="tray-row tray-actions">
            {actions.slice(0, BROWSER_BUTTONS).map(({ action, title: label }) => (
              <strong key={action} dir="auto">
                {label}
              </strong>
            ))}
          </p>
        )}
      </article>
      {silent === true && <p class="tray-said">Shown without a sound</p>}
      {tag !== notificationId && <p class="tray-said">It replaces an earlier push with this key</p>}
      {actions.length > BROWSER_BUTTONS && <p class="tray-said">Most browsers show only the first two buttons</p>}
    </>
  );
}

/** The first letter of the app, in place of its icon, which the server does not have. @param props.children on its corner */
function AppIcon({ appName, children }: { appName: string; children?: Content }) {
  const [letter = '?'] = appName.trim();
  return (
    <span class="tray-app">
      <span aria-hidden="true">{letter.toUpperCase()}</span>
      {children}
    </span>
  );
}

/** The badge, as the home screen has it on the app's icon; 0 shows none. */
export function Badge({ appName, count }: { appName: string; count: number }) {
  return (
    <div class="in-line">
      <AppIcon appName={appName}>
        {count > 0 && (
          <span class="badge tray-badge" aria-label={`Badge ${count}`} role="img">
            {count}
          </span>
        )}
      </AppIcon>
      <span class="hint">On the home screen</span>
    </div>
  );
}

/** A frame in place of a picture. The picture is not loaded, because its server would learn who views it. */
function Picture({ address, isLarge }: { address: string | null | undefined; isLarge: boolean }) {
  if (address === null || address === undefined) return null;
  const host = URL.parse(address)?.host || 'an unknown address';
  return (
    <span
      class={isLarge ? 'tray-picture large' : 'tray-picture'}
      role="img"
      aria-label={`Picture from ${host}; it is not loaded here`}
      title={address}>
      <svg viewBox="0 0 24 24" width="24" height="24" fill="currentcolor" aria-hidden="true">
        <circle cx="8" cy="8" r="2.500" />
        <path d="M2 20l6-7 4 4 5-7 5 10z" />
      </svg>
      {isLarge && <bdi>{host}</bdi>}
    </span>
  );
}

/** A text in the direction of its own letters, cut after a number of lines; null and '' show nothing. */
function Line(props: { text: string | null | undefined; name: string; lines: number | undefined }) {
  const { text, name, lines } = props;
  const cut = lines === undefined ? undefined : { '-webkit-line-clamp': String(lines) };
  return (
    text && (
      <p class={cut ? `${name} tray-cut` : name} style={cut} dir="auto">
        {text}
      </p>
    )
  );
}
