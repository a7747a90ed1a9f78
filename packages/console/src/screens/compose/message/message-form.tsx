/** The content of a notification: its texts and the other keys of its payload, by language and by variant. */
import { useId, useState } from 'preact/hooks';
import type { Content } from '../../../kit/content.ts';
import { Icon } from '../../../kit/icon.tsx';
import { ViewSwitch } from '../../../kit/view-switch.tsx';
import { change, remove } from '../draft/draft.ts';
import type { JsonObject } from '../draft/members.ts';
import { sectionWords } from '../draft/section-words.ts';
import {
  languagesOf,
  type Section,
  sectionAt,
  valuesOf,
  withLanguage,
  withoutLanguage,
} from '../draft/content-sections.ts';
import { variantName, variantsOf } from '../draft/variants.ts';
import { AddLanguage } from './add-language.tsx';
import { chosenSection, chooseSection } from './chosen-section.ts';
import { LanguageTabs } from './language-tabs.tsx';
import { LocalesOfAudience } from './locales.tsx';
import { MessageFields } from './message-fields.tsx';
import { SensitiveField } from './sensitive-field.tsx';
import { TemplateFields, useInsertion } from './template-fields.tsx';
import type { Refusal } from '../../../tray/preview-reply.ts';

export function MessageForm(props: { notification: JsonObject; refusal: Refusal | undefined }): Content {
  const { notification, refusal } = props;
  const section = chosenSection(notification);
  const panelId = useId();
  const [isAdding, setAdding] = useState(false);
  const insertion = useInsertion(notification, section);
  const languages = languagesOf(notification);
  // A form that nobody has filled in yet is not marked as faulty.
  const faulty = isUnwritten(notification) ? [] : (refusal?.details ?? []).flatMap(({ path }) => sectionAt(path) ?? []);
  const add = (tag: string): void => {
    const added = { ...section, language: tag };
    change(withLanguage(notification, added));
    chooseSection(added);
  };
  return (
    <fieldset class="card compose-fields compose-message">
      <legend>
        <h2>Message</h2>
      </legend>
      <VariantSwitch notification={notification} section={section} faulty={faulty} />
      <div class="compose-languages">
        <LanguageTabs
          panelId={panelId}
          languages={languages}
          chosen={section.language}
          faulty={new Set(faulty.filter(({ variant }) => variant === section.variant).map(({ language }) => language))}
          onChoose={(language) => chooseSection({ ...section, language })}
        />
        <button type="button" class="quiet" aria-haspopup="dialog" onClick={() => setAdding(true)}>
          <Icon name="plus" />
          Add a language
        </button>
      </div>
      {isAdding && <AddLanguage languages={languages} onAdd={add} onClose={() => setAdding(false)} />}
      <div
        id={panelId}
        role="tabpanel"
        aria-labelledby={`${panelId}-tab`}
        class="compose-fields"
        onKeyDown={insertion.remember}
        onClick={insertion.remember}>
        <SectionHead notification={notification} section={section} />
        <MessageFields notification={notification} section={section} refusal={refusal} />
      </div>
      <TemplateFields notification={notification} refusal={refusal} insertion={insertion} />
      <SensitiveField notification={notification} refusal={refusal} />
      <LocalesOfAudience notification={notification} onAdd={add} />
    </fieldset>
  );
}

function isUnwritten(notification: JsonObject): boolean {
  const texts = valuesOf(notification, { language: undefined, variant: undefined });
  const others = languagesOf(notification).length + variantsOf(notification).length;
  return Object.keys(texts).length === 0 && others === 0;
}

/** Chooses the variant whose texts are shown. */
function VariantSwitch(props: { notification: JsonObject; section: Section; faulty: readonly Section[] }): Content {
  const { notification, section, faulty } = props;
  const variants = variantsOf(notification);
  if (variants.length === 0) return null;
  const views = [undefined, ...variants.keys()].map((variant) => ({
    view: String(variant),
    label: (
      <>
        <bdi>{variant === undefined ? 'All variants' : variantName(notification, variant)}</bdi>
        {faulty.some((fault) => fault.variant === variant) && (
          <span class="compose-faulty">
            <Icon name="warning" />
            <span class="visually-hidden"> has faults</span>
          </span>
        )}
      </>
    ),
  }));
  return (
    <ViewSwitch
      label="Texts of"
      views={views}
      shown={String(section.variant)}
      onChoose={(view) => chooseSection({ ...section, variant: view === 'undefined' ? undefined : Number(view) })}
    />
  );
}

/** The purpose of the section, and a button that removes a language. */
function SectionHead({ notification, section }: { notification: JsonObject; section: Section }): Content {
  const { variant, language } = section;
  if (variant === undefined && language === undefined) return null;
  const name = sectionWords(notification, section);
  const isOwn =
    language !== undefined && (variant === undefined || Object.keys(valuesOf(notification, section)).length > 0);
  return (
    <div class="compose-section">
      <p class="muted">
        {language === undefined ? (
          <>
            What differs in <bdi>{name}</bdi>.
          </>
        ) : (
          <>
            What differs in{' '}
            <strong>
              <bdi>{name}</bdi>
            </strong>
            .
          </>
        )}
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
