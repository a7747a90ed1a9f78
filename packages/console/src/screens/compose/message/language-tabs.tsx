/** A tab per language of the content. Arrow keys move between them, as in every list of tabs. */
import { useRef } from 'preact/hooks';
import { languageName } from '../../../kit/format.ts';
import type { Content } from '../../../kit/content.ts';
import { Icon } from '../../../kit/icon.tsx';

export function LanguageTabs(props: {
  /** The id of the element that shows the chosen language. */
  panelId: string;
  languages: readonly string[];
  /** Undefined: the default. */
  chosen: string | undefined;
  /** The languages that have faults. */
  faulty: ReadonlySet<string | undefined>;
  onChoose: (language: string | undefined) => void;
}): Content {
  const { panelId, languages, chosen, faulty, onChoose } = props;
  const list = useRef<HTMLDivElement>(null);
  const tabs = [undefined, ...languages];
  const move = (event: KeyboardEvent): void => {
    const at = tabs.indexOf(chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + tabs.length) % tabs.length;
    onChoose(tabs[next]);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div role="tablist" aria-label="Languages" class="compose-tabs" ref={list} onKeyDown={move}>
      {tabs.map((tag) => {
        const isChosen = tag === chosen;
        return (
          <button
            key={tag ?? ''}
            id={isChosen ? `${panelId}-tab` : undefined}
            type="button"
            role="tab"
            class="quiet"
            aria-selected={isChosen}
            aria-controls={panelId}
            tabindex={isChosen ? 0 : -1}
            title={tag === undefined ? 'What devices of every other language get' : languageName(tag)}
            onClick={() => onChoose(tag)}>
            <bdi>{tag ?? 'Default'}</bdi>
            {faulty.has(tag) && (
              <span class="compose-faulty">
                <Icon name="warning" />
                <span class="visually-hidden"> has faults</span>
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}
