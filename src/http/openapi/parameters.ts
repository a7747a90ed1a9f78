/** The parameters of a call in its path, query and headers, as the document describes them. */
import { z } from 'zod';
import { namedTokenTypes } from '../../gateways/apns/push-types.ts';
import { routes } from '../../route.ts';
import { type CallFacts, type PathParameters, pathParametersOf } from '../call.ts';
import {
  AUDIENCE_ID,
  CHANNEL_ID,
  CONSOLE_USER_ID,
  DELIVERY_ID,
  DEVICE_ID,
  KEY_ID,
  NOTIFICATION_ID,
  USER_ID,
  WEBHOOK_ID,
} from '../calls/samples.ts';
import { type JsonSchema, parameterSchema } from './schemas.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
  example: string | number;
}

const id: JsonSchema = { type: 'string', format: 'uuid' };

/** Path parameters by name. A name means the same in every path. */
const pathParameters: Readonly<
  Record<keyof PathParameters, Pick<Parameter, 'description' | 'schema' | 'example'>>
> = {
  notification_id: { description: 'The id of a notification.', schema: id, example: NOTIFICATION_ID },
  audience_id: { description: 'The id of an audience.', schema: id, example: AUDIENCE_ID },
  channel_id: { description: 'The id of a broadcast channel.', schema: id, example: CHANNEL_ID },
  device_id: { description: 'The id of a device.', schema: id, example: DEVICE_ID },
  console_user_id: {
    description: 'The id of a user of the console.',
    schema: id,
    example: CONSOLE_USER_ID,
  },
  delivery_id: { description: 'The id of an event for a webhook.', schema: id, example: DELIVERY_ID },
  key_id: { description: 'The id of an API key.', schema: id, example: KEY_ID },
  route: {
    description: 'A gateway and its environment.',
    schema: { type: 'string', enum: [...routes] },
    example: 'fcm',
  },
  webhook_id: { description: 'The id of a webhook.', schema: id, example: WEBHOOK_ID },
  token_type: {
    description: 'What the push token is for.',
    schema: { type: 'string', enum: [...namedTokenTypes] },
    example: 'live_activity',
  },
  token_name: {
    description:
      'The app’s own id of a Live Activity; the attributes type of a `live_activity_start` token; otherwise any name, such as `default`.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: 'order-4711',
  },
  user_id: { description: 'The `user_id` of devices.', schema: { type: 'string' }, example: USER_ID },
};

/** @throws {Error} if the definition of a parameter lacks a description or an example */
export function parametersOf(call: CallFacts): Parameter[] {
  const { query, headers = {} } = call;
  return [
    ...pathParametersOf(call).map(inPath),
    ...Object.entries(query?.schema.shape ?? {}).map(([name, schema]) =>
      sent('query', name, schema, query?.example[name]),
    ),
    ...Object.entries(headers).map(([name, { schema, example }]) => sent('header', name, schema, example)),
  ];
}

function inPath(name: string): Parameter {
  const known = Object.entries(pathParameters).find(([each]) => each === name)?.[1];
  if (known === undefined) throw new Error(`the path parameter ${name} is not described`);
  return { name, in: 'path', required: true, ...known };
}

function sent(
  place: 'query' | 'header',
  name: string,
  type: z.core.$ZodType,
  example: string | number | undefined,
): Parameter {
  const { description, ...schema } = parameterSchema(type);
  if (description === undefined || example === undefined)
    throw new Error(`the parameter ${name} lacks a description or an example`);
  const required = place === 'query' && !z.safeParse(type, undefined).success;
  return { name, in: place, required, description, schema, example };
}
