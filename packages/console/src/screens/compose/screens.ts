import { defineScreen } from '../../frame/screen.ts';
import { Compose } from './compose.ts';

export const screens = [defineScreen({ path: 'compose', title: 'New notification', view: Compose })];
