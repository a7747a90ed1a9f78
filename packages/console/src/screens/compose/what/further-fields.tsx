/** What is asked of a whole notification: to hide its texts, receipts, and who draws it on Android. */
import { isObject } from '../../../filter-builder/language.ts';
import { Checkbox, Select } from '../../../kit/form.tsx';
import type { Content } from '../../../kit/content.ts';
import { change } from '../draft/draft.ts';
import { fieldText, type JsonObject, withMember } from '../draft/members.ts';
import { faultAt } from '../preview.ts';
import { PercentField } from './percent-field.tsx';
import type { Refusal } from '../../../tray/preview-reply.ts';

const PRESENTATIONS = [
  { value: '', label: 'The app’s setting' },
  { value: 'data', label: 'The app draws it' },
  { value: 'system', label: 'Android draws it' },
];

export function FurtherFields(props: { notification: JsonObject; refusal: Refusal | undefined }): Content {
  const { notification, refusal } = props;
  const { sensitive, receipts, android_presentation: presentation } = notification;
  const areAsked = receipts !== undefined;
  const asked = isObject(receipts) ? receipts : {};
  const set = (name: string, value: unknown): void => change(withMember(notification, name, value));
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
        error={faultAt(refusal, 'sensitive')}
        onChange={(chosen) => set('sensitive', chosen ? true : undefined)}
      />
      <details open={areAsked || presentation !== undefined}>
        <summary>Receipts, Android</summary>
        <div class="compose-fields compose-more">
          <Checkbox
            label="Ask devices to report that they received and showed it"
            hint="The app must report receipts. Opens are counted without this."
            checked={areAsked}
            error={areAsked ? faultAt(refusal, 'receipts') : undefined}
            onChange={(chosen) => set('receipts', chosen ? {} : undefined)}
          />
          {areAsked && (
            <PercentField
              label="Of the devices, in percent"
              share={asked['sample']}
              hint="Left empty: all of them. Many devices need only a small share."
              error={faultAt(refusal, 'receipts.sample')}
              onInput={(sample) => set('receipts', withMember(asked, 'sample', sample))}
            />
          )}
          <Select
            label="On Android"
            value={fieldText(presentation)}
            options={PRESENTATIONS}
            error={faultAt(refusal, 'android_presentation')}
            onChange={(chosen) => set('android_presentation', chosen || undefined)}
          />
        </div>
      </details>
    </>
  );
}
