import { defineScreen } from '../../frame/screen.ts';
import { OverviewScreen } from './overview.ts';

export const screens = [defineScreen({ path: 'overview', title: 'Overview', view: OverviewScreen })];
