import { defineScreen } from '../../frame/screen.tsx';
import { Compose } from './compose.tsx';

export const screens = [defineScreen({ path: 'compose', title: 'New notification', view: Compose })];
