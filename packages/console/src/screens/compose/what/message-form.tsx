/** The content of a notification: its texts and the other keys of its payload, by language and by variant. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Content } from '../../../kit/content.ts';
import { Icon } from '../../../kit/icon.tsx';
import { change, remove } from '../draft/draft.ts';
import {
  isSameSection,
  DEFAULT,
  languagesOf,
  type Section,
  valuesOf,
  withLanguage,
  withoutLanguage,
} from '../draft/content-sections.ts';
import type { Fault } from '../draft/faults.ts';
import { isUnwritten, matrixOf } from '../draft/matrix.ts';
import type { JsonObject } from '../draft/members.ts';
import { sectionWords } from '../draft/section-words.ts';
import { withNewVariant } from '../draft/variants.ts';
import { AddLanguage } from './add-language.tsx';
import { chosenSection, chooseSection } from './chosen-section.ts';
import { LocalesOfAudience } from './locales.tsx';
import { SectionMatrix } from './matrix.tsx';
import { MessageFields } from './message-fields.tsx';
import { FurtherFields } from './further-fields.tsx';
import { TemplateFields, useInsertion } from './template-fields.tsx';
import { VariantsForm } from './variants-form.tsx';
import type { Refusal } from '../../../tray/preview-reply.ts';

export function MessageForm(props: {
  notification: JsonObject;
  refusal: Refusal | undefined;
  faults: readonly Fault[];
}): Content {
  const { notification, refusal, faults } = props;
  const section = chosenSection(notification);
  const [isAdding, setAdding] = useState(false);
  const insertion = useInsertion(notification, section);
  const fields = useRef<HTMLDivElement>(null);
  const [added, setAdded] = useState<string | undefined>(undefined);
  // The dialog gives the focus back first; then the title of the new language takes it.
  useEffect(() => {
    if (added !== undefined && !isAdding) fields.current?.querySelector<HTMLElement>('[data-key=title] input')?.focus();
    setAdded(undefined);
  }, [added, isAdding]);
  const languages = languagesOf(notification);
  const matrix = matrixOf(notification, isUnwritten(notification) ? [] : faults);
  const add = (language: string): void => {
    change(withLanguage(notification, { ...section, language }));
    chooseSection({ ...section, language });
    setAdded(language);
  };
  const compare = (): void => {
    change(withNewVariant(notification));
    // The first variant is what was written so far; the second one is to differ.
    chooseSection({ ...section, variant: 1 });
  };
  return (
    <>
      <fieldset class="compose-fields">
        <legend class="visually-hidden">Message</legend>
        {matrix !== undefined && <SectionMatrix notification={notification} matrix={matrix} chosen={section} />}
        <div class="buttons">
          <button type="button" class="quiet" aria-haspopup="dialog" onClick={() => setAdding(true)}>
            <Icon name="plus" />
            Add a language
          </button>
          {notification['variants'] === undefined && (
            <button
              type="button"
              class="quiet"
              title="An A/B test gives shares of the recipients different texts, and compares how many open it."
              onClick={compare}>
              <Icon name="plus" />
              Compare variants
            </button>
          )}
        </div>
        {isAdding && <AddLanguage languages={languages} onAdd={add} onClose={() => setAdding(false)} />}
        <div
          ref={fields}
          class="compose-fields compose-message"
          onKeyDown={insertion.remember}
          onClick={insertion.remember}>
          <SectionHead notification={notification} section={section} />
          <MessageFields notification={notification} section={section} refusal={refusal} />
        </div>
        <TemplateFields notification={notification} refusal={refusal} insertion={insertion} />
        <FurtherFields notification={notification} refusal={refusal} />
        <LocalesOfAudience notification={notification} onAdd={add} />
      </fieldset>
      <VariantsForm notification={notification} refusal={refusal} />
    </>
  );
}

/** The purpose of the section, and a button that removes a language. */
function SectionHead({ notification, section }: { notification: JsonObject; section: Section }): Content {
  const { variant, language } = section;
  if (isSameSection(section, DEFAULT)) return null;
  const name = sectionWords(notification, section);
  const isOwn =
    language !== undefined && (variant === undefined || Object.keys(valuesOf(notification, section)).length > 0);
  return (
    <div class="compose-section">
      <p class="muted">
        What differs in{' '}
        <strong>
          <bdi>{name}</bdi>
        </strong>
        .
      </p>
      {isOwn && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            remove(withoutLanguage(notification, section), name);
            chooseSection({ ...section, language: undefined });
          }}>
          <span>
            Remove <bdi>{language}</bdi>
          </span>
        </button>
      )}
    </div>
  );
}
