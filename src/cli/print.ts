import type { Terminal } from './terminal.ts';

/** Prints one JSON value with `--json`, otherwise lines for people. */
export function print(
  { stdout }: Terminal,
  json: boolean | undefined,
  value: unknown,
  lines: readonly string[],
): void {
  stdout.write(json === true ? `${JSON.stringify(value)}\n` : textOf(lines));
}

/** @returns the lines, each with its end */
export function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Formats rows as columns, each as wide as its widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
