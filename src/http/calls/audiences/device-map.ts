/** The map of an app's devices. */
import { z } from 'zod';
import { count, timeText } from '../../../api/reply.ts';
import { DEVICES_PER_CELL_MIN } from '../../../targeting/device-map/device-map-store.ts';
import type { DeviceMap } from '../../../targeting/device-map/device-map.ts';
import { invalidRequest } from '../../../api/errors.ts';
import { callsWithKey } from '../../call.ts';
import { deviceMap as deviceMapSample, mapQuery } from './samples.ts';

const mapParameters = z.object({
  south: degrees(90, 'The southern edge.'),
  west: degrees(180, 'The western edge: less than `east`, so a map does not cross the 180th meridian.'),
  north: degrees(90, 'The northern edge.'),
  east: degrees(180, 'The eastern edge.'),
});

export const deviceMapReply = z
  .strictObject({
    cells: z
      .array(
        z
          .strictObject({
            latitude: z.number().describe('Latitude of the middle of the cell.'),
            longitude: z.number(),
            device_count: count,
          })
          .meta({ id: 'MapCell' }),
      )
      .describe(`Cells with at least ${DEVICES_PER_CELL_MIN} devices, cells with most devices first.`),
    cell_degrees: z.number().describe('The width of a cell in degrees of longitude.'),
    one_of: count.describe(
      '1 if all devices were read. If there are more than 250,000, one in 16 or 256 is read, and the counts are estimates.',
    ),
    counted_at: timeText.describe('When the devices were counted: up to 5 minutes ago.'),
  })
  .meta({ id: 'DeviceMap' });

const call = callsWithKey<{ deviceMap: DeviceMap }>('Devices');

export const deviceMapCall = call({
  id: 'readDeviceMap',
  method: 'GET',
  path: '/v6/devices/map',
  readsReplica: true,
  summary: 'Count the devices in the cells of a map',
  description:
    'For a map of the devices: up to 48 cells across, none smaller than about 1 km, in ' +
    'Mercator’s projection. It uses the attribute `location`. Cells with fewer than 5 devices ' +
    'are left out.',
  scopes: ['read'],
  query: { schema: mapParameters, example: mapQuery },
  replies: [{ status: 200, description: 'The cells.', schema: deviceMapReply, example: deviceMapSample }],
  handle: async ({ deviceMap }, { caller: { appId }, query }): Promise<z.output<typeof deviceMapReply>> => {
    const faults = [
      ...(query.south < query.north ? [] : [{ path: 'north', message: 'must be greater than south' }]),
      ...(query.west < query.east
        ? []
        : [{ path: 'east', message: 'must be greater than west: a map does not cross the 180th meridian' }]),
    ];
    if (faults.length > 0) throw invalidRequest(faults);
    const { cells, degrees: width, oneOf, countedAt } = await deviceMap.read(appId, query);
    return {
      cells: cells.map(({ latitude, longitude, devices }) => ({
        latitude,
        longitude,
        device_count: devices,
      })),
      cell_degrees: width,
      one_of: oneOf,
      counted_at: countedAt.toISOString(),
    };
  },
});

/** A query parameter arrives as text. */
function degrees(limit: number, description: string) {
  const rule = `must be a number of degrees from -${limit} to ${limit}`;
  return z
    .string(rule)
    .regex(/^-?\d{1,3}(?:\.\d{1,20})?$/, rule)
    .transform(Number)
    .refine((value) => Math.abs(value) <= limit, rule)
    .meta({ type: 'number', minimum: -limit, maximum: limit, description });
}
