/**
 * The parts of a compiled push that a phone shows, and those that decide how it shows them. They are read back from the
 * compiled headers and JSON, so a preview shows nothing that a gateway does not get.
 */
import { z } from 'zod';
import type { CompiledApns } from '../../gateways/apns/compile-apns.ts';
import { pushTypes } from '../../gateways/apns/push-types.ts';
import { parseJson } from '../../json/lossless.ts';
import { isJsonObject } from '../../api/parse.ts';
import { timeText } from '../../api/reply.ts';

const text = z.string().nullable();

export const iosTray = z
  .strictObject({
    is_shown: z.boolean().describe('False for a push without a text, which shows nothing.'),
    title: text,
    subtitle: text,
    body: text,
    image: text.describe('Shown only if the app loads it, which needs `is_mutable`.'),
    badge: z.int().nullable().describe('The number on the app’s icon; null leaves it as it is.'),
    sound: text.describe('The name of the sound.'),
    is_critical: z.boolean().describe('Whether the sound is that of a critical alert.'),
    volume: z.number().nullable().describe('Of a critical alert.'),
    thread_id: text.describe('iOS groups notifications by it.'),
    category: text.describe('Chooses the action buttons, which the app has registered.'),
    interruption_level: z.enum(['passive', 'active', 'time-sensitive', 'critical']),
    relevance_score: z.number().nullable(),
    is_mutable: z.boolean().describe('Whether the app may change the push before it is shown.'),
    wakes_app: z.boolean().describe('Whether iOS is asked to wake the app in the background.'),
    push_type: z.enum([...pushTypes, 'liveactivity']),
    priority: z.int().describe('`apns-priority`: 10 is sent at once, 5 when the device’s battery allows.'),
    collapse_id: text.describe(
      'A later push with the same id replaces this one; null for Live Activities and most other push types.',
    ),
    expires_at: timeText.nullable().describe('Null: Apple tries once and does not store the push.'),
  })
  .meta({ id: 'IosTray' });

export const androidTray = z
  .strictObject({
    drawn_by: z
      .enum(['app', 'android'])
      .describe('`app`: the app draws the push from its data, and may draw it differently.'),
    is_shown: z.boolean().describe('False for a push without a title and a text.'),
    title: text,
    body: text,
    image: text,
    icon: text.describe('A drawable of the app; null: the one in its manifest.'),
    color: text.describe('`#rrggbb`; null: the one in its manifest.'),
    sound: text,
    category: text.describe('Chooses the action buttons, which the app has registered.'),
    click_action: text.describe('The action of the intent that a tap starts; null: a tap opens the app.'),
    visibility: text.describe('`PRIVATE`, `PUBLIC` or `SECRET`; null: the app’s default.'),
    notification_count: z.int().nullable(),
    channel_id: text.describe('Decides about sound and importance; null: the app’s default channel.'),
    priority: z.enum(['high', 'normal']),
    collapse_id: z.string().describe('A later push with the same id replaces this one.'),
    time_to_live_seconds: z.int(),
  })
  .meta({ id: 'AndroidTray' });

type IosTray = z.output<typeof iosTray>;
type AndroidTray = z.output<typeof androidTray>;

export function iosTrayOf({ headers, body }: CompiledApns): IosTray {
  const sent = objectIn(parseJson(body.toString()));
  const header = headersByName({ headers });
  const aps = objectIn(sent['aps']);
  // Apple's format has the text alone or an object with its parts.
  const alert = typeof aps['alert'] === 'string' ? { body: aps['alert'] } : objectIn(aps['alert']);
  const shown = {
    title: textOf(alert['title']),
    subtitle: textOf(alert['subtitle']),
    body: textOf(alert['body']),
  };
  // The name alone, or an object for a critical alert.
  const sound = typeof aps['sound'] === 'string' ? { name: aps['sound'] } : objectIn(aps['sound']);
  const expiration = Number(header['apns-expiration']);
  return iosTray.parse({
    is_shown: hasText(shown),
    ...shown,
    image: textOf(sent['image']),
    badge: aps['badge'] ?? null,
    sound: textOf(sound['name']),
    is_critical: sound['critical'] === 1,
    volume: sound['volume'] ?? null,
    thread_id: textOf(aps['thread-id']),
    category: textOf(aps['category']),
    interruption_level: aps['interruption-level'] ?? 'active',
    relevance_score: aps['relevance-score'] ?? null,
    is_mutable: aps['mutable-content'] === 1,
    wakes_app: aps['content-available'] === 1,
    push_type: header['apns-push-type'],
    priority: Number(header['apns-priority']),
    collapse_id: header['apns-collapse-id'] ?? null,
    expires_at: expiration === 0 ? null : new Date(expiration * 1_000).toISOString(),
  });
}

/** @param request the JSON of a request to FCM */
export function androidTrayOf(request: string): AndroidTray {
  const message = objectIn(objectIn(parseJson(request))['message']);
  const data = objectIn(message['data']);
  const android = objectIn(message['android']);
  const notification = android['notification'];
  const drawn = isJsonObject(notification) ? notification : undefined;
  const source = drawn ?? { title: data['title'], body: data['alert'], image: data['image'] };
  const shown = { title: textOf(source['title']), body: textOf(source['body']) };
  return androidTray.parse({
    drawn_by: drawn === undefined ? 'app' : 'android',
    is_shown: hasText(shown),
    ...shown,
    image: textOf(source['image']),
    icon: textOf(drawn?.['icon']),
    color: textOf(drawn?.['color']),
    sound: textOf(drawn?.['sound']),
    category: textOf(data['category']),
    click_action: textOf(drawn?.['click_action']),
    visibility: textOf(drawn?.['visibility']),
    notification_count: drawn?.['notification_count'] ?? null,
    channel_id: textOf(drawn?.['channel_id'] ?? data['_channel_id']),
    priority: android['priority'],
    collapse_id: drawn?.['tag'] ?? data['collapse_key'] ?? data['_nid'],
    time_to_live_seconds: Number.parseInt(String(android['ttl']), 10),
  });
}

/** @param headers alternating names and values */
export function headersByName({ headers }: Pick<CompiledApns, 'headers'>): Record<string, string> {
  return Object.fromEntries(
    headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : [])),
  );
}

function hasText(texts: Readonly<Record<string, string | null>>): boolean {
  return Object.values(texts).some((written) => written !== null && written !== '');
}

function objectIn(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
