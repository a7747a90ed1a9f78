import type { CompiledNotification, PreviewRefusal } from '../replies.ts';

/** The requests that each gateway gets. */
export type Requests = Pick<CompiledNotification, 'apns' | 'fcm'>;

/** Its code may be of another call, or of something between the browser and the server. */
export type Refusal = Omit<PreviewRefusal, 'code'> & { code: string };
