import { Code, CopyButton } from '../copy.tsx';

/** JSON, indented, with a button that copies it. Numbers keep all their digits (see `parseExact`). */
export function JsonView({ value, label = 'JSON' }: { value: unknown; label?: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <div class="stack close">
      <Code label={label} text={text} />
      <div>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
