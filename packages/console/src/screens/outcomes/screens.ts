import { defineScreen } from '../../frame/screen.tsx';
import { LeadToOutcomes } from './lead.tsx';

export const screens = [defineScreen({ path: 'outcomes', title: 'Outcomes', view: LeadToOutcomes })];
