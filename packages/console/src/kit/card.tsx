/** The parts of a page that shows one thing. */
import { useId } from 'preact/hooks';
import type { Content } from './content.ts';

/** A section with its heading, in a frame. */
export function Card({ title, children }: { title: Content; children?: Content }) {
  const id = useId();
  return (
    <section class="card stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Names and their values, without those that are false, null or ''. */
export function Facts({ facts }: { facts: readonly (readonly [name: Content, value: Content])[] }) {
  const known = facts.filter(([, value]) => value !== false && value !== null && value !== '');
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}
