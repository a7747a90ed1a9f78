/** The named schemas of the API: `Schemas['Notification']`. */
import type { components } from './schema.ts';

export type Schemas = components['schemas'];
