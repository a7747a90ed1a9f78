import { defineScreen } from '../../frame/screen.tsx';
import { AudienceList } from './list.tsx';
import { NewAudience } from './save-audience.tsx';
import { StoredAudience } from './stored-audience.tsx';

export const screens = [
  defineScreen({ path: 'audiences', title: 'Audiences', view: AudienceList }),
  defineScreen({ path: 'audiences/new', title: 'New audience', view: NewAudience }),
  defineScreen({ path: 'audiences/:audience_id', title: 'Audience', view: StoredAudience }),
];
