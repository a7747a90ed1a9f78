import { defineScreen } from '../../frame/screen.ts';
import { Account } from './account.ts';

export const screens = [defineScreen({ path: 'account', title: 'My account', view: Account })];
