/** Parses JSON. @returns undefined if the text is invalid */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
