/** Audiences: the stored ones, a builder for new ones, and why a device is in one or out. */
import { defineScreen } from '../../frame/screen.ts';
import { AudienceList } from './list.ts';
import { NewAudience } from './new-audience.ts';
import { StoredAudience } from './stored-audience.ts';

export const audiences = defineScreen({
  path: 'audiences',
  title: 'Audiences',
  navigation: { label: 'Audiences', icon: 'audience', order: 40 },
  view: AudienceList,
});

export const newAudience = defineScreen({
  path: 'audiences/new',
  title: 'New audience',
  view: NewAudience,
});

export const audience = defineScreen({
  path: 'audiences/:audience_id',
  title: 'Audience',
  view: StoredAudience,
});
