/** An OpenTelemetry collector that keeps what it is sent over OTLP/HTTP, decodes its JSON, and fails to order. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { portOf } from '../support/ports.ts';

const attributes = z.array(
  z.object({
    key: z.string(),
    value: z.union([
      z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
      z.object({ intValue: z.coerce.number() }).transform(({ intValue }) => intValue),
      z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
      z.object({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
    ]),
  }),
);
const attributesRecord = attributes.transform((list) =>
  Object.fromEntries(list.map(({ key, value }) => [key, value])),
);

const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: attributesRecord,
  events: z.array(z.object({ name: z.string(), attributes: attributesRecord })),
  status: z.object({ code: z.number(), message: z.string().optional() }),
});

/** `ExportTraceServiceRequest` of OTLP, as much of it as the tests look at. */
const exportSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesRecord }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});

export type CollectedSpan = z.output<typeof spanSchema>;

/** A post as it came. */
export interface Post {
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export type Collector = Awaited<ReturnType<typeof startCollector>>;

export async function startCollector() {
  const posts: Post[] = [];
  let status = 200;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    posts.push({ path: request.url ?? '', headers: request.headers, body });
    if (status === 0) return;
    const { 'content-type': type = '' } = request.headers;
    response.writeHead(status, { 'content-type': type });
    response.end(status === 200 && type === 'application/json' ? '{}' : '');
  };
  const server = createServer((request, response) => void take(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const decoded = () =>
    posts.flatMap(({ body }) => exportSchema.parse(JSON.parse(body.toString())).resourceSpans);
  return {
    /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
    url: `http://127.0.0.1:${portOf(server)}`,
    posts,
    /** The spans of all posts, which must be JSON. */
    spans: () => decoded().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resources: () => decoded().map(({ resource }) => resource.attributes),
    /** @param next 0 answers no more; other numbers are statuses to answer with */
    answerWith: (next: number): void => {
      status = next;
    },
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
