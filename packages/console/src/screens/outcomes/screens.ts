import { defineScreen } from '../../frame/screen.tsx';
import { Outcomes } from './outcomes.tsx';

export const screens = [defineScreen({ path: 'outcomes', title: 'Outcomes', view: Outcomes })];
