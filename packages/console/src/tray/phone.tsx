/** A drawn phone: its case, its status bar and its lock screen, on which a push lies. */
import type { Content } from '../kit/content.ts';

const NAMES = { ios: 'iPhone', android: 'Android' } as const;

export type PhoneKind = keyof typeof NAMES;

export function phoneName(kind: PhoneKind): string {
  return NAMES[kind];
}

/** @param props.children what lies on the lock screen; @param props.below what is said about it */
export function Phone(props: {
  kind: PhoneKind;
  look: 'light' | 'dark';
  /** Whether only a wide window shows it, because the reader has chosen the other phone. */
  isOther?: boolean;
  /** Such as 'Focus'; undefined: none is on. */
  focus?: string | undefined;
  below?: Content;
  children?: Content;
}): Content {
  const { kind, look, isOther = false, focus, below, children } = props;
  return (
    <section class={isOther ? 'tray other' : 'tray'} aria-label={`On ${NAMES[kind]}`}>
      <h3>{NAMES[kind]}</h3>
      <div class={`tray-phone ${kind}`}>
        <div class="tray-screen" data-look={look}>
          <div class="tray-status" aria-hidden="true">
            <span>{kind === 'android' && '9:41'}</span>
            <span class="tray-camera" />
            <svg viewBox="0 0 44 12" width="44" height="12">
              <path d="M1 11V8M4 11V6M7 11V4M10 11V1" />
              <path d="M16 5a7 7 0 0 1 10 0M18 7.500a4 4 0 0 1 6 0M21 10.500v.1" />
              <rect x="31" y="2" width="11" height="8" rx="2.500" />
              <path d="M34 6h5" class="tray-charge" />
            </svg>
          </div>
          <div class="tray-clock" aria-hidden="true">
            <span>{today()}</span>
            <span>9:41</span>
          </div>
          {focus !== undefined && <p class="tray-focus">{focus}</p>}
          <div class={`tray-${kind}`}>{children}</div>
          <div class="tray-bottom" aria-hidden="true">
            <span />
            <span />
            <span />
          </div>
        </div>
      </div>
      {below}
    </section>
  );
}

function today(): string {
  return new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' }).format();
}
