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
import { PreviewColumn, reasonAgainst, useCount, usePreview } from './preview.tsx';
import { Review } from './review.tsx';
import { useStart } from './start.ts';
import { Steps } from './steps.tsx';
import { Follow, type Sent, TestDialog } from './try-it.tsx';

export function Compose() {
  openDraft();
  const start = useStart(place.value.query);
  const notification = written();
  const isReview = place.value.query.get('step') === 'review' && notification !== undefined;
  const last = useRef(isReview);
  // Between the form and the last page, a screen reader begins at the top again.
  useEffect(() => {
    if (last.current === isReview) return;
    last.current = isReview;
    document.querySelector('main')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [isReview]);
  if (start.error !== undefined) return <Failure error={start.error} />;
  if (start.isLoading) return null;
  return isReview ? <Review notification={notification} /> : <Editor notification={notification} />;
}

function Editor({ notification }: { notification: JsonObject | undefined }) {
  const { text } = draft.value;
  const asJson = place.value.query.get('view') === 'json' || notification === undefined;
  const preview = usePreview(text);
  const counted = useCount(notification?.['to']);
  const [sent, setSent] = useState<Sent | undefined>(undefined);
  const [isTesting, setTesting] = useState(false);
  const role = may('sender') ? undefined : 'Your role in this app does not allow this: it needs the role sender.';
  const against = reasonAgainst(preview);
  const { compiled, isOutdated, refusal, faults } = preview;
  return (
    <div class="compose">
      <div class="screen-head">
        <h1>New notification</h1>
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
          <button type="button" class="quiet" disabled={text === EMPTY_TEXT} onClick={() => replaceText(EMPTY_TEXT)}>
            Start over
          </button>
        </div>
      </div>
      {lost.value !== undefined && <Undone {...lost.value} />}
      <div class="stack compose-columns">
        <form class="stack" onSubmit={(event) => event.preventDefault()}>
          {asJson ? (
            <TextArea
              label="The notification, as JSON"
              hint='The whole body of a call, { "notification": … }, is fine as well.'
              code
              rows={Math.min(Math.max(text.split('\n').length + 1, 16), 40)}
              value={text}
              error={readNotification(text).fault}
              onInput={changeText}
            />
          ) : (
            <WrittenContext.Provider value={{ notification, refusal, faults }}>
              <Steps />
            </WrittenContext.Provider>
          )}
        </form>
        <PreviewColumn notification={notification ?? {}} preview={preview} />
      </div>
      {notification !== undefined && (
        <Bar counted={counted} preview={preview} followed={sent && <Follow key={sent.id} {...sent} />}>
          <GuardedButton
            why={role ?? (compiled !== undefined && !isOutdated ? undefined : against)}
            onClick={() => setTesting(true)}>
            Test
          </GuardedButton>
          <GuardedButton kind="primary" why={against} onClick={() => setQuery({ step: 'review' }, 'push')}>
            Review
          </GuardedButton>
          {isTesting && (
            <TestDialog
              notification={notification}
              against={against}
              onSent={setSent}
              onClose={() => setTesting(false)}
            />
          )}
        </Bar>
      )}
    </div>
  );
}

/** What was replaced or removed can be brought back. The button stays in sight while the page scrolls. */
function Undone({ name }: { name?: string }) {
  return (
    <p class="note screen-head compose-undone" role="status">
      <span>
        {name === undefined ? 'The previous draft was replaced.' : ['Removed: ', <bdi key="name">{name}</bdi>, '.']}
      </span>
      <button type="button" class="quiet" onClick={restore}>
        {name === undefined ? 'Restore it' : 'Undo'}
      </button>
    </p>
  );
}
