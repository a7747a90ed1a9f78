import { defineScreen } from '../../frame/screen.ts';
import { AudienceList } from './list.ts';
import { NewAudience } from './new-audience.ts';
import { StoredAudience } from './stored-audience.ts';

export const screens = [
  defineScreen({ path: 'audiences', title: 'Audiences', view: AudienceList }),
  defineScreen({ path: 'audiences/new', title: 'New audience', view: NewAudience }),
  defineScreen({ path: 'audiences/:audience_id', title: 'Audience', view: StoredAudience }),
];
