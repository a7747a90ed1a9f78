import type { Content } from '../../kit/content.ts';
import { type State, stateLabels } from './notification.tsx';

/** The way of a notification: Planned › Sending › Sent, with where it stands. A pause is a step only while it lasts. */
export function StateLine({ state, isPaused }: { state: State; isPaused: boolean }): Content {
  const isOver = state !== 'scheduled' && state !== 'sending';
  const steps = ['Planned', 'Sending', ...(isPaused ? ['Paused'] : []), isOver ? stateLabels[state] : 'Done'];
  const present = isOver ? steps.length - 1 : state === 'scheduled' ? 0 : steps.length - 2;
  return (
    <ol class="notifications-way" aria-label="State">
      {steps.map((step, index) => (
        <li
          key={step}
          class={index === present ? `present ${isPaused ? 'paused' : state}` : undefined}
          aria-current={index === present ? 'step' : undefined}>
          {step}
        </li>
      ))}
    </ol>
  );
}
