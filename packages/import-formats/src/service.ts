/** What a service provides. */
import { CONVERT_TO_UTF8 } from './plain-text.ts';

/** One record of an export: a row, or a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

export interface SourceRecord {
  /** The number of the line on which it begins or ends. */
  line: number;
  /** Undefined if the text of the record could not be read. */
  fields: Fields | undefined;
  /** The reason, if known. */
  fault?: string;
}

/** Four times what a device of Carillon may take. */
export const RECORD_BYTES_MAX = 256 * 1024;

/** A field of a record, or an attribute, that the device does not get. */
export interface NotMapped {
  field: string;
  reason: string;
}

/** The reason why a record gives no device. */
export interface LeftOut {
  leftOut: string;
  device?: never;
}

/** An object that Carillon's `POST /v6/devices` accepts as `device`; not checked yet. */
export type Device = Record<string, unknown>;

export type Mapping = LeftOut | { device: Device; notMapped: NotMapped[]; leftOut?: never };

/** @returns the value of a JSON text, undefined if the text cannot be used; numbers may be raw JSON (`JSON.rawJSON`) */
export type ParseJson = (text: string) => unknown;

export interface Service {
  title: string;
  /** Fields that each record has. A file whose first record lacks one of them has another format. */
  marks: readonly string[];
  /** CSV, or JSON: then `pageStart` matches a page of records up to its list, such as `{"results":`. */
  format: 'CSV' | { pageStart: RegExp };
  map: (fields: Fields, parse: ParseJson) => Mapping;
}

/** Reasons that several services share. */
export const NOT_UTF8 = `the record is not UTF-8: ${CONVERT_TO_UTF8}`;
export const NO_TOKEN = 'no push token';

export function otherChannel(kind: string): LeftOut {
  return { leftOut: `not a push to iOS or Android: ${kind}` };
}
