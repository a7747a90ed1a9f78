/** Makes the edits by which the API says that a warning can be mended. */
import { isObject } from '../../../filter-builder/language.ts';
import type { PreviewFix } from '../../../replies.ts';
import { type JsonObject, withMember } from './members.ts';
import { variantName } from './variants.ts';

export function mended(notification: JsonObject, edits: readonly PreviewFix[]): JsonObject {
  return edits.reduce((left, edit) => {
    const whole = edited({ notification: left }, edit.path, edit);
    return isObject(whole) && isObject(whole['notification']) ? whole['notification'] : left;
  }, notification);
}

function edited(value: unknown, path: string, edit: PreviewFix): unknown {
  if (path === '') return edit.op === 'set' ? edit.value : undefined;
  if (Array.isArray(value)) {
    const [whole = '', index] = /^\[(\d+)\]\.?/.exec(path) ?? [];
    if (index === undefined) return value;
    return value.flatMap((item, other) => {
      const next = other === Number(index) ? edited(item, path.slice(whole.length), edit) : item;
      return next === undefined ? [] : [next];
    });
  }
  const object = isObject(value) ? value : {};
  const key = keyIn(object, path);
  return withMember(object, key, edited(object[key], path.slice(key.length).replace(/^\./, ''), edit));
}

/** The keys of apps can have dots in them, which paths do not mark. */
function keyIn(object: JsonObject, path: string): string {
  const keys = Object.keys(object).filter(
    (key) => path.startsWith(key) && /^(?:[.[]|$)/.test(path.slice(key.length)),
  );
  return keys.sort((one, other) => other.length - one.length)[0] ?? /^[^.[]*/.exec(path)?.[0] ?? '';
}

/** The words of the button, and the name of what it removes, which can be brought back. */
export function mendWords(
  [edit]: readonly PreviewFix[],
  notification: JsonObject,
): { label: string; removes: string | undefined } {
  const { op, path } = edit ?? { op: 'set', path: '' };
  const index = /\.variants\[(\d+)\]$/.exec(path)?.[1];
  if (index !== undefined) {
    const removes = variantName(notification, Number(index)).replace(/^(?!variant )/, 'variant ');
    return { label: `Remove ${removes}`, removes };
  }
  if (path === 'notification.variants') return { label: 'Send without a test', removes: 'the A/B test' };
  if (op === 'remove') return { label: 'Leave it out', removes: path.slice(path.lastIndexOf('.') + 1) };
  if (path === 'notification.receipts') return { label: 'Ask for receipts', removes: undefined };
  return { label: path.endsWith('.mutable_content') ? 'Let the app load it' : 'Mend it', removes: undefined };
}
