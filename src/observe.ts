/**
 * Everything that can happen and that an operator may want to see, as one union. Rooms emit observations;
 * the log and the metrics decide what to keep. No observation may hold a push token, a key, payload text or
 * an e-mail address.
 */
export type Observation =
  | { kind: 'server_listening'; url: string }
  | { kind: 'draining'; signal: string }
  | { kind: 'stopped' }
  | { kind: 'database_started'; port: number; dataDir: string }
  | { kind: 'database_error'; message: string }
  | { kind: 'migrated'; migrations: readonly string[] }
  | {
      kind: 'request_handled';
      requestId: string;
      method: string;
      route: string;
      status: number;
      durationMs: number;
    }
  | { kind: 'request_failed'; requestId: string; method: string; route: string; error: Error }
  | { kind: 'notification_planned'; notificationId: string; devices: number; slices: number; lane: string }
  | { kind: 'notification_ended'; notificationId: string; state: string; reason: string | null }
  | {
      kind: 'slice_finished';
      notificationId: string;
      number: number;
      devices: number;
      durationMs: number;
    }
  | { kind: 'slice_handed_on'; notificationId: string; number: number; unfinished: number; reason: string }
  | { kind: 'push_retried'; gateway: string; reason: string; attempt: number }
  | { kind: 'credentials_refused'; gateway: string; notificationId: string; reason: string }
  | { kind: 'session_opened'; gateway: string; origin: string }
  | { kind: 'session_closed'; gateway: string; origin: string; reason: string }
  | { kind: 'job_failed'; job: string; notificationId: string; error: Error }
  | { kind: 'queue_error'; message: string }
  | { kind: 'recovered'; notifications: number };

export type Observe = (observation: Observation) => void;

export const observeNothing: Observe = () => undefined;
