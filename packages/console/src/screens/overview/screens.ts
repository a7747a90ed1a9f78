import { defineScreen } from '../../frame/screen.tsx';
import { OverviewScreen } from './overview.tsx';

export const screens = [defineScreen({ path: 'overview', title: 'Overview', view: OverviewScreen })];
