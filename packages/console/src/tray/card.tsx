/** Parts that both phones draw alike. */
import type { Content } from '../kit/content.ts';

export interface CardProps<Tray> {
  tray: Tray;
  appName: string;
  isExpanded: boolean;
  /** Whether a Focus (iOS) or Do Not Disturb (Android) is on. */
  isFocused: boolean;
  /** Whether it takes the place of an earlier push. */
  isReplacing: boolean;
}

/** The first letter of the app, in place of its icon, which the server does not have. */
export function AppIcon({ appName }: { appName: string }): Content {
  const [letter = '?'] = appName.trim();
  return (
    <span class="tray-app" aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  );
}

/** The badge, as the home screen has it on the app's icon; 0 shows none. */
export function Badge({ appName, count }: { appName: string; count: number }): Content {
  return (
    <div class="tray-home">
      <span class="tray-badged">
        <AppIcon appName={appName} />
        {count > 0 && (
          <span class="tray-badge" aria-label={`Badge ${count}`} role="img">
            {count}
          </span>
        )}
      </span>
      <span class="muted">On the home screen</span>
    </div>
  );
}

/** A frame in place of a picture. The picture is not loaded, because its server would learn who views it. */
export function Picture({ address, isLarge }: { address: string; isLarge: boolean }): Content {
  const host = hostOf(address);
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

function hostOf(address: string): string {
  try {
    return new URL(address).host || 'an unknown address';
  } catch {
    return 'an unknown address';
  }
}

/** The edge of the push that disappears. */
export function Earlier(): Content {
  return (
    <div class="tray-earlier">
      <span>It replaces an earlier push with this key</span>
    </div>
  );
}

/** A text in the direction of its own letters, cut after a number of lines; null and '' show nothing. */
export function Line(props: { text: string | null; name: string; lines: number | undefined }): Content {
  const { text, name, lines } = props;
  if (text === null || text === '') return null;
  const cut = lines === undefined ? undefined : { '-webkit-line-clamp': String(lines) };
  return (
    <p class={lines === undefined ? name : `${name} tray-cut`} style={cut} dir="auto">
      {text}
    </p>
  );
}
