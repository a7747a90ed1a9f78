import { Checkbox } from '../../../kit/form.tsx';
import type { Content } from '../../../kit/content.ts';
import { change } from '../draft/draft.ts';
import { type JsonObject, withMember } from '../draft/members.ts';
import { faultAt } from '../preview.ts';
import type { Refusal } from '../../../tray/preview-reply.ts';

/** Whether the texts are hidden from all who look at the notification later. A list of keys, written as JSON, counts as yes. */
export function SensitiveField(props: { notification: JsonObject; refusal: Refusal | undefined }): Content {
  const { notification, refusal } = props;
  const { sensitive } = notification;
  return (
    <Checkbox
      label="Sensitive: nobody reads these texts again"
      hint={
        Array.isArray(sensitive)
          ? `Hidden: ${sensitive.join(', ')}.`
          : 'Such as a one-time code: the phone shows it; lists, searches and exports do not.'
      }
      checked={sensitive !== undefined && sensitive !== false}
      error={faultAt(refusal, 'sensitive')}
      onChange={(chosen) => change(withMember(notification, 'sensitive', chosen ? true : undefined))}
    />
  );
}
