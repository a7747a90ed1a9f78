/**
 * Reads OpenTelemetry's standard environment variables. Its specification ignores an invalid value with a warning; here it
 * is a fault, as with all settings.
 */
import { z } from 'zod';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface TracingConfig {
  /** The address that spans are sent to. */
  url: string;
  headers: Readonly<Record<string, string>>;
  protocol: 'http/protobuf' | 'http/json';
  sampler: (typeof SAMPLERS)[number];
  /** From 0 to 1, for the ratio samplers. */
  samplerRatio: number;
  /** Resource attributes of the spans; always has `service.name`. */
  resource: Readonly<Record<string, string>>;
}

/** The default of OTLP over HTTP (OTLP specification). */
const DEFAULT_ENDPOINT = 'http://localhost:4318';

export const tracingFields = {
  OTEL_SDK_DISABLED: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(['true', 'false'], 'must be true or false')),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(
    ['http/protobuf', 'http/json'],
    'must be http/protobuf or http/json: gRPC is not supported',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: pairs().optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs().optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((text) => /^(?:0?\.\d{1,9}|[01](?:\.0{1,9})?)$/.test(text), 'must be a number from 0 to 1')
    .transform(Number),
};

const tracingSettings = z.object(tracingFields);

/** @returns undefined if tracing is off */
export function tracingOf(read: z.output<typeof tracingSettings>): TracingConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = read;
  const exporter = read.OTEL_TRACES_EXPORTER ?? (base === undefined && whole === undefined ? 'none' : 'otlp');
  if (read.OTEL_SDK_DISABLED === 'true' || exporter === 'none') return undefined;
  return {
    url: whole ?? `${(base ?? DEFAULT_ENDPOINT).replace(/\/$/, '')}/v1/traces`,
    headers: read.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    protocol: read.OTEL_EXPORTER_OTLP_PROTOCOL,
    sampler: read.OTEL_TRACES_SAMPLER,
    samplerRatio: read.OTEL_TRACES_SAMPLER_ARG,
    resource: {
      'service.name': 'carillon',
      ...read.OTEL_RESOURCE_ATTRIBUTES,
      ...(read.OTEL_SERVICE_NAME !== undefined && { 'service.name': read.OTEL_SERVICE_NAME }),
    },
  };
}

function endpoint() {
  return z
    .string()
    .refine(
      (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
      'must have the form http://host:4318',
    );
}

/** `key=value,key=value`, percent-encoded (W3C Baggage, without properties). */
function pairs() {
  return z.string().transform((text, context): Record<string, string> => {
    const found: [string, string][] = [];
    for (const part of text.split(',')) {
      const [, key, value] = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
      const decoded = value === undefined ? undefined : decode(value);
      if (key === undefined || decoded === undefined) {
        context.addIssue('must have the form key=value,key=value, percent-encoded');
        return z.NEVER;
      }
      found.push([key, decoded]);
    }
    return Object.fromEntries(found);
  });
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
