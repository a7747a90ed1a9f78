import { defineScreen } from '../../frame/screen.ts';
import { Outcomes } from './outcomes.ts';

export const screens = [defineScreen({ path: 'outcomes', title: 'Outcomes', view: Outcomes })];
