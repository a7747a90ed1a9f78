/** Writes a notification in three steps, whom, what and when, or as JSON, with its size and its appearance on phones. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { place, setQuery } from '../../frame/router.ts';
import { may } from '../../frame/session.ts';
import { TextArea } from '../../kit/form.tsx';
import { Failure } from '../../kit/states.tsx';
import { ViewSwitch } from '../../kit/view-switch.tsx';
import { Bar, GuardedButton } from './bar.tsx';
import {
  changeText,
  draft,
  EMPTY_TEXT,
  lost,
  openDraft,
  readNotification,
  replaceText,
  restore,
  written,
} from './draft/draft.ts';
import type { JsonObject } from './draft/members.ts';
import { WrittenContext } from './form.tsx';
import { PreviewColumn } from './preview-column.tsx';
import { reasonAgainst, type ShownPreview, useCount, usePreview } from './preview.ts';
import { Review } from './review.tsx';
import { useStart } from './start.ts';
import { StepPanel, StepRail } from './steps.tsx';
import { TargetForm } from './target-form.tsx';
import { Follow, type Sent, TestDialog } from './try-it.tsx';
import { MessageForm } from './what/message-form.tsx';
import { WhenForm } from './when-form.tsx';

export function Compose() {
  openDraft();
  const start = useStart(place.value.query);
  const notification = written();
  const isReview = place.value.query.get('step') === 'review' && notification !== undefined;
  const last = useRef(isReview);
  // Between the form and the last page, a screen reader begins at the heading again.
  useEffect(() => {
    if (last.current === isReview) return;
    last.current = isReview;
    document.querySelector<HTMLElement>('.compose h1')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [isReview]);
  if (start.error !== undefined) return <Failure error={start.error} />;
  if (start.isLoading) return null;
  return isReview ? <Review notification={notification} /> : <Editor notification={notification} />;
}

function Editor({ notification }: { notification: JsonObject | undefined }) {
  const asJson = place.value.query.get('view') === 'json' || notification === undefined;
  const preview = usePreview(draft.value.text);
  const counted = useCount(notification?.['to']);
  const [sent, setSent] = useState<Sent | undefined>(undefined);
  const { refusal, faults } = preview;
  return (
    <div class="compose">
      <div class="screen-head">
        <h1 tabindex={-1}>New notification</h1>
        <div class="buttons">
          <ViewSwitch
            label="Edit it as"
            views={[
              { view: 'form', label: 'Form', disabled: notification === undefined },
              { view: 'json', label: 'JSON' },
            ]}
            shown={asJson ? 'json' : 'form'}
            onChoose={(view) => setQuery({ view: view === 'json' ? view : undefined }, 'push')}
          />
          <button
            type="button"
            class="quiet"
            disabled={draft.value.text === EMPTY_TEXT}
            onClick={() => replaceText(EMPTY_TEXT)}>
            Start over
          </button>
        </div>
      </div>
      {lost.value !== undefined && <Undone {...lost.value} />}
      <div class="compose-columns">
        <form class="stack" onSubmit={(event) => event.preventDefault()}>
          {asJson ? (
            <JsonEditor />
          ) : (
            <WrittenContext.Provider value={{ notification, refusal, faults }}>
              <StepRail />
              <StepPanel step="whom">
                <TargetForm />
              </StepPanel>
              <StepPanel step="what">
                <MessageForm />
              </StepPanel>
              <StepPanel step="when">
                <WhenForm />
              </StepPanel>
            </WrittenContext.Provider>
          )}
        </form>
        <PreviewColumn notification={notification ?? {}} preview={preview} />
      </div>
      {notification !== undefined && (
        <Bar counted={counted} preview={preview} followed={sent && <Follow key={sent.id} {...sent} />}>
          <Buttons notification={notification} preview={preview} onSent={setSent} />
        </Bar>
      )}
    </div>
  );
}

/** The text is sent as it is written, with every key and every digit. */
function JsonEditor() {
  const { text } = draft.value;
  return (
    <TextArea
      label="The notification, as JSON"
      hint='The whole body of a call, { "notification": … }, is fine as well.'
      code
      rows={Math.min(Math.max(text.split('\n').length + 1, 16), 40)}
      value={text}
      error={readNotification(text).fault}
      onInput={changeText}
    />
  );
}

/** What was replaced or removed can be brought back. The button stays in sight while the page scrolls. */
function Undone({ name }: { name?: string }) {
  return (
    <p class="screen-head compose-undone" role="status">
      <span>
        {name === undefined ? 'The previous draft was replaced.' : ['Removed: ', <bdi key="name">{name}</bdi>, '.']}
      </span>
      <button type="button" class="quiet" onClick={restore}>
        {name === undefined ? 'Restore it' : 'Undo'}
      </button>
    </p>
  );
}

function Buttons(props: { notification: JsonObject; preview: ShownPreview; onSent: (sent: Sent) => void }) {
  const { notification, preview, onSent } = props;
  const [isTesting, setTesting] = useState(false);
  const role = may('sender') ? undefined : 'Your role in this app does not allow this: it needs the role sender.';
  const against = reasonAgainst(preview);
  const isCompiled = preview.compiled !== undefined && !preview.isOutdated;
  return (
    <>
      <GuardedButton why={role ?? (isCompiled ? undefined : against)} onClick={() => setTesting(true)}>
        Test
      </GuardedButton>
      <GuardedButton kind="primary" why={against} onClick={() => setQuery({ step: 'review' }, 'push')}>
        Review
      </GuardedButton>
      {isTesting && (
        <TestDialog notification={notification} against={against} onSent={onSent} onClose={() => setTesting(false)} />
      )}
    </>
  );
}
