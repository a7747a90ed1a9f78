/** Errors that several calls on devices share. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/tables.ts';
import { ApiError, type FaultDetail } from '../api/errors.ts';
import { isUuid } from '../uuid.ts';
import { CUSTOM_ATTRIBUTES_MAX } from './custom-attributes.ts';
import { type DeviceRow, isErased } from './store.ts';

/** @throws {ApiError} `not_found` if the id is not a UUID: Postgres would fail on it */
export function assertDeviceId(id: string): void {
  if (!isUuid(id)) throw noSuchDevice();
}

export function noSuchDevice(): ApiError {
  return new ApiError('not_found', { message: 'There is no such device.' });
}

/** The error for a change of a device that was erased or never existed. */
export async function missingDevice(db: Kysely<Database>, appId: string, id: string): Promise<ApiError> {
  return (await isErased(db, appId, id)) ? new ApiError('device_erased') : noSuchDevice();
}

export function platformCannotChange(path: string, platform: DeviceRow['platform']): FaultDetail {
  return { path, message: `of this device is ${platform} and cannot change` };
}

export function tooManyAttributes(path: string): FaultDetail {
  return { path, message: `must leave a device with at most ${CUSTOM_ATTRIBUTES_MAX} custom attributes` };
}
