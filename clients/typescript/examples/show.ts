/** Prints a reply as a line of JSON, with the section of docs/api.md that it belongs to. */
export function show(section: string, reply: unknown): void {
  process.stdout.write(`${JSON.stringify({ section, reply: reply ?? null })}\n`);
}
