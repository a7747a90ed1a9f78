/** Building blocks of the tables of bad requests. */
import type { Call } from '../api.ts';

/** The fault in words, the request, and the code of the refusal or, for 422, the path of the fault. */
export type BadCall = [what: string, call: Call, refusal: string];

/** A case for each value that a key does not take; the fault is at the key. */
export function badValues(
  path: string,
  values: Readonly<Record<string, readonly unknown[]>>,
  bodyWith: (fields: object) => Call,
): BadCall[] {
  return Object.entries(values).flatMap(([key, bad]) =>
    bad.map((value): BadCall => [
      `${key} that is ${JSON.stringify(value).slice(0, 40)}`,
      bodyWith({ [key]: value }),
      `${path}.${key}`,
    ]),
  );
}

export const NO_ID = '00000000-0000-4000-8000-000000000000';
export const TOKEN = 'ab'.repeat(32);

export const type = (contentType: string): Record<string, string> => ({ 'content-type': contentType });
export const notification = (fields: object): Call => ({
  body: { notification: { to: '*', payload: { alert: 'hello' }, ...fields } },
});
export const payload = (fields: object): Call => notification({ payload: fields });
export const to = (target: unknown): Call => notification({ to: target });
export const filter = (name: string, ...criteria: unknown[]): Call => to([{ name, criteria }]);
export const device = (fields: object): Call => ({
  body: { device: { platform: 'iOS', push_token: TOKEN, ...fields } },
});
export const change = (fields: object): Call => ({ body: { device: fields } });
export const changeCustom = (attribute: unknown): Call => change({ custom: { plan: attribute } });
export const events = (...list: unknown[]): Call => ({ body: { events: list } });
export const point = (latitude: unknown, longitude: unknown): object => ({ latitude, longitude });
export const circle = (fields: object): object => ({
  point: point(1, 2),
  distance: 3,
  unit: 'km',
  ...fields,
});
