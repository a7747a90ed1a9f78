import type { Content } from '../kit/content.ts';
import { type CardProps, Earlier, Line, Picture } from './card.tsx';
import type { AndroidTray } from '../replies.ts';

/** Android keeps this many characters of a text. */
const CHARACTERS_MAX = 1_024;
/** Lines of an expanded text; buttons take the space of four. */
const LINES_MAX = 13;
const LINES_OF_BUTTONS = 4;

export function AndroidCard(props: CardProps<AndroidTray>): Content {
  const { tray, appName, isExpanded, isFocused, isReplacing } = props;
  const { title, body, image, category, color } = tray;
  const buttons = category === null ? 0 : LINES_OF_BUTTONS;
  // A large picture leaves one line for the text.
  const lines = isExpanded && image === null ? LINES_MAX - buttons : 1;
  return (
    <>
      {tray.is_shown ? (
        <article class="tray-card">
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
              <Line text={kept(title)} name="tray-title" lines={1} />
              <Line text={kept(body)} name="tray-body" lines={lines} />
            </div>
            {!isExpanded && image !== null && <Picture address={image} isLarge={false} />}
          </div>
          {isExpanded && image !== null && <Picture address={image} isLarge={true} />}
          {isExpanded && category !== null && (
            <p class="tray-actions">
              Buttons of “<bdi>{category}</bdi>”
            </p>
          )}
        </article>
      ) : (
        <p class="tray-nothing">Nothing is shown.</p>
      )}
      {isFocused && tray.is_shown && <p class="tray-held">Silent, unless its channel may disturb</p>}
      {isReplacing && tray.is_shown && <Earlier />}
    </>
  );
}

function kept(text: string | null): string | null {
  return text && text.slice(0, CHARACTERS_MAX);
}
