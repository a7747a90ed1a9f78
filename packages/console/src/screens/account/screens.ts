import { defineScreen } from '../../frame/screen.tsx';
import { Account } from './account.tsx';

export const screens = [defineScreen({ path: 'account', title: 'My account', view: Account })];
