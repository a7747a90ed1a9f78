/** The notification as JSON. The text is sent as it is written, with every key and every digit. */
import { TextArea } from '../../kit/form.tsx';
import type { Content } from '../../kit/content.ts';
import { changeText, draft } from './draft/draft.ts';
import { readNotification } from './draft/json.ts';

const WHOLE_HINT = 'The whole body of a call, { "notification": … }, is fine as well.';

export function JsonEditor(): Content {
  const { text } = draft.value;
  const { fault } = readNotification(text);
  return (
    <div class="compose-json">
      <TextArea
        label="The notification, as JSON"
        hint={WHOLE_HINT}
        code
        rows={Math.min(Math.max(text.split('\n').length + 1, 16), 40)}
        value={text}
        error={fault}
        onInput={changeText}
      />
    </div>
  );
}
