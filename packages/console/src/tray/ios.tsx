import type { Content } from '../kit/content.ts';
import { AppIcon, type CardProps, Earlier, Line, Picture } from './card.tsx';
import type { IosTray } from '../replies.ts';

/** Lines of the text on the lock screen, at the usual size of letters. */
const BODY_LINES = 4;

export function IosCard(props: CardProps<IosTray>): Content {
  const { tray, appName, isExpanded, isFocused, isReplacing } = props;
  const { title, subtitle, body, category, interruption_level: level } = tray;
  const image = tray.is_mutable ? tray.image : null;
  const isHeld = isFocused && (level === 'passive' || level === 'active');
  const lines = isExpanded ? undefined : BODY_LINES - (subtitle === null ? 0 : 1);
  const picture = image !== null && <Picture address={image} isLarge={isExpanded} />;
  return (
    <>
      {tray.is_shown ? (
        <article class={isHeld ? 'tray-card held' : 'tray-card'}>
          {isExpanded && picture}
          <div class="tray-row">
            <AppIcon appName={appName} />
            <div class="tray-texts">
              {(level === 'time-sensitive' || level === 'critical') && (
                <p class="tray-level">{level === 'critical' ? 'Critical' : 'Time Sensitive'}</p>
              )}
              <span class="tray-when">now</span>
              <Line text={title} name="tray-title" lines={isExpanded ? undefined : 1} />
              <Line text={subtitle} name="tray-title" lines={isExpanded ? undefined : 1} />
              <Line text={body} name="tray-body" lines={lines} />
            </div>
            {!isExpanded && picture}
          </div>
          {isExpanded && category !== null && (
            <p class="tray-actions">
              Buttons of “<bdi>{category}</bdi>”
            </p>
          )}
        </article>
      ) : (
        <p class="tray-nothing">Nothing is shown.</p>
      )}
      {isHeld && tray.is_shown && <p class="tray-held">Held back until the Focus ends</p>}
      {isReplacing && tray.is_shown && <Earlier />}
    </>
  );
}
