/** The content of a notification: its texts and the other keys of its payload, by language and by variant. */
import { useRef, useState } from 'preact/hooks';
import { isObject } from '../../../filter-builder/language.ts';
import { Dialog } from '../../../kit/dialog.tsx';
import { Checkbox, Form, TextField } from '../../../kit/form.tsx';
import { languageName } from '../../../kit/format.ts';
import { AddButton } from '../../../filter-builder/buttons.tsx';
import {
  DEFAULT,
  isSameSection,
  isUnwritten,
  languagesOf,
  sectionWords,
  valuesOf,
  withLanguage,
  withoutLanguage,
} from '../draft/content-sections.ts';
import { change, remove } from '../draft/draft.ts';
import { matrixOf } from '../draft/faults.ts';
import { canonicalTag } from '../draft/languages.ts';
import { withNewVariant } from '../draft/variants.ts';
import { chooseSection, Folded, MemberChoice, MemberText, useWritten } from '../form.tsx';
import { LocalesOfAudience } from './locales.tsx';
import { SectionMatrix } from './matrix.tsx';
import { SectionFields } from './section-fields.tsx';
import { TemplateFields, useInsertion } from './template-fields.tsx';
import { VariantsForm } from './variants-form.tsx';

export function MessageForm() {
  const { notification, faults, section } = useWritten();
  const [isAdding, setAdding] = useState(false);
  const insertion = useInsertion();
  const fields = useRef<HTMLDivElement>(null);
  const rows = matrixOf(notification, isUnwritten(notification) ? [] : faults);
  const add = (language: string): void => {
    change(withLanguage(notification, { ...section, language }));
    chooseSection({ ...section, language });
    // The dialog gives the focus back first; then the title of the new language takes it.
    requestAnimationFrame(() => fields.current?.querySelector<HTMLElement>('[data-key=title] input')?.focus());
  };
  const compare = (): void => {
    change(withNewVariant(notification));
    // The first variant is what was written so far; the second one is to differ.
    chooseSection({ ...section, variant: 1 });
  };
  return (
    <>
      <fieldset class="stack">
        <legend class="visually-hidden">Message</legend>
        {rows !== undefined && <SectionMatrix rows={rows} />}
        <div class="buttons">
          <AddButton class="quiet" onClick={() => setAdding(true)}>
            Add a language
          </AddButton>
          {notification['variants'] === undefined && (
            <AddButton
              class="quiet"
              title="An A/B test gives shares of the recipients different texts, and compares how many open it."
              onClick={compare}>
              Compare variants
            </AddButton>
          )}
        </div>
        {isAdding && <AddLanguage onAdd={add} onClose={() => setAdding(false)} />}
        <div ref={fields} class="stack compose-message" onKeyDown={insertion.remember} onClick={insertion.remember}>
          <SectionHead />
          <SectionFields />
        </div>
        <TemplateFields insertion={insertion} />
        <FurtherFields />
        <LocalesOfAudience notification={notification} onAdd={add} />
      </fieldset>
      <VariantsForm />
    </>
  );
}

/** The purpose of the section, and a button that removes a language. */
function SectionHead() {
  const { notification, section } = useWritten();
  const { variant, language } = section;
  if (isSameSection(section, DEFAULT)) return null;
  const name = sectionWords(notification, section);
  const isOwn = variant === undefined || Object.keys(valuesOf(notification, section)).length > 0;
  return (
    <div class="screen-head">
      <p class="muted">
        What differs in <strong dir="auto">{name}</strong>.
      </p>
      {language !== undefined && isOwn && (
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

const PRESENTATIONS = [
  { value: '', label: 'The app’s setting' },
  { value: 'data', label: 'The app draws it' },
  { value: 'system', label: 'Android draws it' },
];

/** What is asked of a whole notification: to hide its texts, receipts, and who draws it on Android. */
function FurtherFields() {
  const { notification, faultAt, set } = useWritten();
  const { sensitive, receipts, android_presentation: presentation } = notification;
  const areAsked = receipts !== undefined;
  return (
    <>
      <Checkbox
        label="Sensitive: nobody reads these texts again"
        hint={
          // A list of keys, written as JSON, counts as yes.
          Array.isArray(sensitive)
            ? `Hidden: ${sensitive.join(', ')}.`
            : 'Such as a one-time code: the phone shows it; lists, searches and exports do not.'
        }
        checked={sensitive !== undefined && sensitive !== false}
        error={faultAt('sensitive')}
        onChange={(chosen) => set('sensitive', chosen || undefined)}
      />
      <Folded summary="Receipts, Android" open={areAsked || presentation !== undefined}>
        <Checkbox
          label="Ask devices to report that they received and showed it"
          hint="The app must report receipts. Opens are counted without this."
          checked={areAsked}
          error={areAsked ? faultAt('receipts') : undefined}
          onChange={(chosen) => set('receipts', chosen ? {} : undefined)}
        />
        {areAsked && isObject(receipts) && (
          <MemberText
            at="receipts.sample"
            type="percent"
            label="Of the devices, in percent"
            hint="Left empty: all of them. Many devices need only a small share."
          />
        )}
        <MemberChoice at="android_presentation" label="On Android" options={PRESENTATIONS} />
      </Folded>
    </>
  );
}

function AddLanguage({ onAdd, onClose }: { onAdd: (tag: string) => void; onClose: () => void }) {
  const { notification } = useWritten();
  const [written, setWritten] = useState('');
  const [isRefused, setRefused] = useState(false);
  const text = written.trim();
  const tag = canonicalTag(text);
  const fault =
    text === ''
      ? 'Write the tag of a language, such as fr, fr-CA or zh-Hant.'
      : tag === undefined
        ? `“${text}” is not a language tag. Write one such as fr, fr-CA or zh-Hant.`
        : languagesOf(notification).includes(tag)
          ? `${tag} is there already.`
          : undefined;
  const add = async (): Promise<void> => {
    setRefused(fault !== undefined);
    if (tag === undefined || fault !== undefined) return;
    onAdd(tag);
    onClose();
  };
  return (
    <Dialog title="Add a language" onClose={onClose}>
      <Form onSubmit={add}>
        <TextField
          label="Language tag"
          code
          autofocus
          value={written}
          hint={
            tag === undefined || fault !== undefined
              ? 'A tag of BCP 47: fr, fr-CA, zh-Hant. Devices with fr-CA also get fr, if there is no fr-CA.'
              : [languageName(tag), ...(tag === text ? [] : [`as ${tag}`])].join(', ')
          }
          error={isRefused ? fault : undefined}
          onInput={setWritten}
        />
        <footer>
          <button type="button" onClick={onClose}>
            Back
          </button>
          <button class="primary">Add</button>
        </footer>
      </Form>
    </Dialog>
  );
}
