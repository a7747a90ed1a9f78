/** The card of a push on the lock screen of an iPhone, and of an Android phone. */
import type { Content } from '../kit/content.ts';
import type { AndroidTray, IosTray } from '../replies.ts';

interface CardProps<Tray> {
  tray: Tray;
  appName: string;
  isExpanded: boolean;
  /** Whether a Focus (iOS) or Do Not Disturb (Android) is on. */
  isFocused: boolean;
  isReplacing: boolean;
}

/** Lines of the text on the lock screen of an iPhone, at the usual size of letters. */
const IOS_LINES = 4;

export function IosCard(props: CardProps<IosTray>) {
  const { tray, appName, isExpanded, isFocused } = props;
  const { title, subtitle, body, interruption_level: level } = tray;
  const image = tray.is_mutable ? tray.image : null;
  const isHeld = isFocused && (level === 'passive' || level === 'active');
  const lines = (most: number): number | undefined => (isExpanded ? undefined : most);
  const picture = image !== null && <Picture address={image} isLarge={isExpanded} />;
  return (
    <Card {...props} isHeld={isHeld} note={isHeld && 'Held back until the Focus ends'}>
      {isExpanded && picture}
      <div class="tray-row">
        <AppIcon appName={appName} />
        <div class="tray-texts">
          {level === 'critical' && <p class="tray-title">Critical</p>}
          {level === 'time-sensitive' && <p class="tray-title">Time Sensitive</p>}
          <span class="tray-when">now</span>
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
  return (
    <Card {...props} note={isFocused && 'Silent, unless its channel may disturb'}>
      <p class="tray-app-line">
        <span
          class="tray-small-icon"
          style={color === null ? undefined : { backgroundColor: color }}
          aria-hidden="true"
        />
        <span class="tray-app-name" dir="auto">
          {appName}
        </span>{' '}
        · now
      </p>
      <div class="tray-row">
        <div class="tray-texts">
          <Line text={title} name="tray-title" lines={1} />
          {/* A large picture leaves one line for the text. */}
          <Line text={body} name="tray-body" lines={isExpanded && image === null ? expanded : 1} />
        </div>
        {!isExpanded && image !== null && <Picture address={image} isLarge={false} />}
      </div>
      {isExpanded && image !== null && <Picture address={image} isLarge={true} />}
    </Card>
  );
}

function Card(props: CardProps<IosTray | AndroidTray> & { isHeld?: boolean; note: Content; children: Content }) {
  const { tray, isExpanded, isReplacing, isHeld = false, note, children } = props;
  if (!tray.is_shown) return <p class="tray-said">Nothing is shown.</p>;
  return (
    <>
      <article class={isHeld ? 'tray-card held' : 'tray-card'}>
        {children}
        {isExpanded && tray.category !== null && (
          <p class="tray-actions">
            Buttons of “<bdi>{tray.category}</bdi>”
          </p>
        )}
      </article>
      {note !== false && <p class="tray-said">{note}</p>}
      {/* The edge of the push that disappears. */}
      {isReplacing && <p class="tray-said">It replaces an earlier push with this key</p>}
    </>
  );
}

/** The first letter of the app, in place of its icon, which the server does not have. @param props.children on its corner */
export function AppIcon({ appName, children }: { appName: string; children?: Content }) {
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
    <div class="tray-home">
      <AppIcon appName={appName}>
        {count > 0 && (
          <span class="tray-badge" aria-label={`Badge ${count}`} role="img">
            {count}
          </span>
        )}
      </AppIcon>
      <span class="muted">On the home screen</span>
    </div>
  );
}

/** A frame in place of a picture. The picture is not loaded, because its server would learn who views it. */
export function Picture({ address, isLarge }: { address: string; isLarge: boolean }) {
  const host = URL.parse(address)?.host || 'an unknown address';
  return (
    <span
      class={isLarge ? 'tray-picture large' : 'tray-picture'}
      role="img"
      aria-label={`Picture from ${host}; it is not loaded here`}
      title={address}>
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <circle cx="8" cy="8" r="2.500" />
        <path d="M2 20l6-7 4 4 5-7 5 10z" />
      </svg>
      {isLarge && <bdi>{host}</bdi>}
    </span>
  );
}

/** A text in the direction of its own letters, cut after a number of lines; null and '' show nothing. */
export function Line(props: { text: string | null | undefined; name: string; lines: number | undefined }) {
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
