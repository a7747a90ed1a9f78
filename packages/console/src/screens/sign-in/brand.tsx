import { Mark } from '../../frame/mark.tsx';

/** The head of the pages that are shown to people without a session: the mark, and what this is. */
export function Brand({ title }: { title: string }) {
  return (
    <header>
      <Mark />
      <h1>{title}</h1>
      <p class="muted">Push notifications to the phones of your apps, from this server.</p>
    </header>
  );
}
