import { isObject } from '../../../filter-builder/language.ts';
import { Checkbox } from '../../../kit/form.tsx';
import type { Content } from '../../../kit/content.ts';
import { change } from '../draft/draft.ts';
import { type JsonObject, withMember } from '../draft/members.ts';
import { faultAt } from '../preview.ts';
import { PercentField } from './percent-field.tsx';
import type { Refusal } from '../../../tray/preview-reply.ts';

/** Whether devices are asked to report that they received the push and showed it, and how many of them. */
export function ReceiptsFields(props: { notification: JsonObject; refusal: Refusal | undefined }): Content {
  const { notification, refusal } = props;
  const { receipts } = notification;
  const isOn = receipts !== undefined;
  const asked = isObject(receipts) ? receipts : {};
  return (
    <>
      <Checkbox
        label="Ask devices to report that they received and showed it"
        hint="The app must report receipts. Opens are counted without this."
        checked={isOn}
        error={isOn ? faultAt(refusal, 'receipts') : undefined}
        onChange={(chosen) => change(withMember(notification, 'receipts', chosen ? {} : undefined))}
      />
      {isOn && (
        <PercentField
          label="Of the devices, in percent"
          share={asked['sample']}
          hint="Left empty: all of them. Many devices need only a small share."
          error={faultAt(refusal, 'receipts.sample')}
          onInput={(sample) => change(withMember(notification, 'receipts', withMember(asked, 'sample', sample)))}
        />
      )}
    </>
  );
}
