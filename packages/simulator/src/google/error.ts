/** Google's error bodies (google.rpc.Status as JSON), with FCM's `details`. */

export interface FieldViolation {
  field: string;
  description: string;
}

export interface GoogleError {
  code: number;
  message: string;
  /** FCM's error code; unset if the request was refused before it reached FCM. */
  errorCode?: string | undefined;
  violations?: readonly FieldViolation[];
}

const statusByCode: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Google's canonical name of an HTTP status. */
export function googleStatus(code: number): string {
  return statusByCode[code] ?? 'UNKNOWN';
}

export function googleErrorBody({ code, message, errorCode, violations }: GoogleError): string {
  const details = [
    ...(violations === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }]),
    ...(errorCode === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }]),
  ];
  const error = { code, message, status: googleStatus(code), ...(details.length === 0 ? {} : { details }) };
  return JSON.stringify({ error });
}
