import { defineScreen } from '../../frame/screen.ts';
import { Invite } from './invite.ts';

export const screens = [defineScreen({ path: 'invite', title: 'Welcome', view: Invite })];
