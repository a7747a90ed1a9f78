import { defineScreen } from '../../frame/screen.tsx';
import { Start } from './start.tsx';

export const screens = [defineScreen({ path: 'start', title: 'Set up', view: Start })];
