/** Limits for all templates of a notification together. Creation refuses more. */
import type { FaultDetail } from '../../../api/errors.ts';
import type { Payload } from '../../../gateways/payload.ts';
import { isJsonObject } from '../../../api/parse.ts';
import type { Fact } from '../../../targeting/device-facts.ts';
import { NOTIFICATION_UNITS_MAX } from './engine.ts';
import { evaluateLongest } from './evaluate.ts';
import { compileTemplate, isTemplate } from './template.ts';
import { PAYLOAD_WORK_MAX, Work } from './work.ts';

const TEMPLATE_PATH = 'notification.template';

/** With four bytes each, this is several times what a push can carry. */
const VALUES_CHARACTERS_MAX = 5_000;
/** Postgres functions take 100 arguments, and translations and variants need two more attributes. */
const ATTRIBUTES_MAX = 64;
/** All payloads are evaluated at creation, which then takes 100 ms at most. */
const NOTIFICATION_WORK_MAX = 50 * PAYLOAD_WORK_MAX;

type PayloadAt = Readonly<{ payload: Payload; path: string }>;

/** Parsing an output takes some 20 µs. */
const OUTPUTS_MAX = 2_000;

/** @param texts the parts of a notification that have texts; each is looked at once */
export function lengthFaults(texts: readonly unknown[]): FaultDetail[] {
  const templates = texts.flatMap(templatesIn);
  const units = templates.reduce((sum, text) => sum + text.length, 0);
  if (units > NOTIFICATION_UNITS_MAX) {
    return fault(
      `is for texts with {{ … }} of ${units} characters together; at most ${NOTIFICATION_UNITS_MAX} are allowed`,
    );
  }
  const outputs = templates.reduce((sum, text) => sum + text.split('{{').length - 1, 0);
  if (outputs <= OUTPUTS_MAX) return [];
  return fault(`is for ${outputs} outputs, {{ … }}; at most ${OUTPUTS_MAX} are allowed`);
}

function fault(message: string, path = TEMPLATE_PATH): FaultDetail[] {
  return [{ path, message }];
}

function templatesIn(value: unknown): string[] {
  if (typeof value === 'string') return isTemplate(value) ? [value] : [];
  return Array.isArray(value) || isJsonObject(value) ? Object.values(value).flatMap(templatesIn) : [];
}

/** Evaluates payloads with the longest values. @param payloads all of them; their templates have no faults */
export function workFaults(payloads: readonly PayloadAt[]): FaultDetail[] {
  const facts: Fact[] = [];
  let left = NOTIFICATION_WORK_MAX;
  for (const { payload, path } of payloads) {
    const { outputs } = compileTemplate(payload, path, facts).template;
    const characters = outputs.reduce((sum, { charactersMax }) => sum + charactersMax, 0);
    if (characters > VALUES_CHARACTERS_MAX) {
      const most = `at most ${VALUES_CHARACTERS_MAX} are allowed; add truncate at the end of an output`;
      return fault(`has outputs with up to ${characters} characters together; ${most}`, path);
    }
    const work = new Work();
    for (const output of outputs) evaluateLongest(output, work);
    if (work.isOver) {
      const remedy = 'use fewer filters, or begin with truncate';
      return fault(`has filters that take too long with the longest values; ${remedy}`, path);
    }
    left -= work.spent;
    if (left < 0)
      return fault('is for filters that take too long in all payloads together; use fewer of them');
  }
  const attributes = new Set(facts.map((fact) => JSON.stringify(fact)));
  if (attributes.size <= ATTRIBUTES_MAX) return [];
  return fault(
    `is for texts with ${attributes.size} attributes of the device; at most ${ATTRIBUTES_MAX} are allowed`,
  );
}
