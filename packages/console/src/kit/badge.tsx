import type { Content } from './content.ts';

export type Tone = 'neutral' | 'good' | 'busy' | 'warn' | 'bad';

/** A word in a coloured frame: a state, a platform, a role. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children?: Content }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}
